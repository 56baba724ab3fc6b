# shellcheck shell=bash
# One SDP stream between two hosts under a fault of the wire, read after java.sh.

# stream FAULT CLIENT-OPTION...: samples' StreamServer and StreamClient, every byte compared; once the connection is up the
# client's host runs the fault. Fails when a byte is wrong or when it was not by RDMA.
stream() {
  local fault=$1
  shift
  build_java
  echo 'use both server * *:*' >"$work/server.rules"
  echo 'use sdp client * *:*' >"$work/client.rules"
  on_host a <<'END_A'
with_agent server
"${jvm[@]}" -cp "$samples" io.sdp4j.samples.StreamServer --host "$LAB_ADDR" --port 7174 >"$LAB_OUT/a" &
until grep -q READY "$LAB_OUT/a"; do read -rt 0.1 <>/run/never || [ -e "/proc/$!" ]; done
offered; lab-meet up
wait $!
END_A
  on_host b <<'END_B'
lab-meet up
with_agent client
"${jvm[@]}" -cp "$samples" io.sdp4j.samples.StreamClient --host "$LAB_PEER" --port 7174 --connect 60 $stream >"$LAB_OUT/b" &
until grep -q phase "$LAB_OUT/b"; do read -rt 0.05 <>/run/never || [ -e "/proc/$!" ]; done
$fault
wait $!
END_B
  export fault stream="$*" samples=$repository/samples/target/classes
  lab --out "$work/out" --capture "$work/wire.pcap" -- bash "$work/a" :: bash "$work/b" >"$work/log" 2>&1 ||
    wrong "$(cat "$work/log" && tail -n 20 "$work/out"/*)"
  grep -qx verified=true "$work/out/b" || wrong "the client says: $(<"$work/out/b")"
  expect "connections by RDMA" 1 "$(reported client connections)"
}
