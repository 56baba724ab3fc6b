# shellcheck shell=bash
# Other people's programs on two hosts, each with rules of its own; read after check.sh. What the rules say is compared
# with what the agents report and with what was on the wire.

# shellcheck source=java.sh
. "$LAB_DIR/lib/java.sh"
# shellcheck source=wire.sh
. "$LAB_DIR/lib/wire.sh"

# rules NAME: standard input, and nothing else is offloaded.
rules() {
  cat >"$work/$1.rules"
  printf 'use tcp client * *:*\nuse tcp server * *:*\n' >>"$work/$1.rules"
}

# run_both: $work/a on host a, $work/b on host b.
run_both() {
  rm -rf "$work/out"
  lab --memory 2048 --timeout 280 --capture "$work/wire.pcap" --out "$work/out" -- bash "$work/a" :: bash "$work/b" \
    >"$work/log" 2>&1 || wrong "$(cat "$work/log" && tail -n 20 "$work"/out/*)"
}

# proven FILTER: the agents of both hosts tell of the same connections by RDMA, and of none that fell back; every stream
# byte that they say they wrote is in an SDP message on the wire, and TCP carried nothing in the frames of the filter.
proven() {
  local made written by_tcp
  made=$(reported client connections)
  between "connections by RDMA" 1 "$made" 1000
  expect "connections by RDMA at the server" "$made" "$(reported server accepted)"
  expect "connections that fell back" 0 "$(($(reported client fallback) + $(reported server fallback)))"
  written=$(($(reported client written) + $(reported server written)))
  between "bytes that the agents wrote" 100000 "$written" 1000000000
  expect "stream bytes in SDP messages on the wire" "$written" "$(sdp_payload)"
  by_tcp=$(frames "$1")
  expect "frames of TCP where RDMA is asked for" 0 "$by_tcp"
}
