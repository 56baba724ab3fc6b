# shellcheck shell=bash
# One run: the wire and the hosts as processes below it, the run's directory, output and exit codes, and the end of all.
#
#   RUN/config environment directory out    what the hosts read first
#   RUN/HOST/command                        its argument list
#   RUN/HOST/stdout stderr status           what comes back
#   RUN/HOST/console failed running         for people when it goes wrong

session_prepare() {
  need gcc:gcc libc6-dev:/usr/include/stdio.h iproute2:ip rdma-core:rdma \
    busybox-static:busybox ibverbs-providers:'/usr/lib/*/libibverbs/librxe-*.so' ibverbs-utils:ibv_devinfo \
    rdmacm-utils:rping
  wire=$LAB_CACHE/wire-$(sha256sum <"$LAB_DIR/wire.c" | cut -c1-8)
  [ -x "$wire" ] || alone compile_wire
  "${kernel}_prepare"
}

compile_wire() {
  gcc -O2 -std=gnu11 -Wall -Wextra -Wconversion -Werror -o "$wire.part" "$LAB_DIR/wire.c" || fail "cannot compile the wire"
  mv "$wire.part" "$wire"
}

session_run() {
  session_prepare
  sweep
  run_dir=$(mktemp -d "${TMPDIR:-/tmp}/sdp4j-lab.$$.XXXXXX")
  wire_pid=
  trap session_end EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  describe_run
  start_hosts
  follow_output
  local code=0
  wait "$wire_pid" 2>/dev/null || code=$?
  wire_pid=
  wait "${followers[@]}" || true
  session_result "$code"
}

describe_run() {
  local host
  ln -s "$LAB_DIR" "$run_dir/tree"
  printf '%s\n' "$hosts" "$fabric" "$kernel" "$PATH" >"$run_dir/config"
  env -0 >"$run_dir/environment"
  pwd -P >"$run_dir/directory"
  : >"$run_dir/out"
  if [ -n "$out" ]; then
    mkdir -p "$out"
    (cd "$out" && pwd -P) >"$run_dir/out"
  fi
  mkdir "$run_dir/shared"
  host_names=(a)
  [ "$hosts" -eq 1 ] || host_names=(a b)
  for host in "${host_names[@]}"; do
    mkdir "$run_dir/$host"
    : >"$run_dir/$host/stdout"
    : >"$run_dir/$host/stderr"
  done
  printf '%s\0' "${command_a[@]}" >"$run_dir/a/command"
  [ "$hosts" -eq 1 ] || printf '%s\0' "${command_b[@]}" >"$run_dir/b/command"
}

start_hosts() {
  local line_a line_b=()
  "${kernel}_command" a
  line_a=("${host_command[@]}")
  if [ "$hosts" -eq 2 ]; then
    "${kernel}_command" b
    line_b=(:: "${host_command[@]}")
  fi
  [ -z "$capture" ] || wire_options+=(--capture "$capture")
  ulimit -c 0
  started=${EPOCHREALTIME/./}
  "$wire" --limit "$limit" --report "$run_dir/report" "${wire_options[@]}" -- "${line_a[@]}" "${line_b[@]}" \
    </dev/null >"$run_dir/wire.log" 2>&1 &
  wire_pid=$!
}

# Passes on what the commands print while they run; with two hosts each line says whose it is.
follow_output() {
  local host
  followers=()
  for host in "${host_names[@]}"; do
    follow "$host" stdout &
    followers+=("$!")
    follow "$host" stderr >&2 &
    followers+=("$!")
  done
}

follow() {
  if [ "$hosts" -eq 1 ]; then
    tail -q -s 0.05 --pid="$wire_pid" -n +1 -f "$run_dir/$1/$2"
  else
    tail -q -s 0.05 --pid="$wire_pid" -n +1 -f "$run_dir/$1/$2" | sed -u "s/^/$1: /"
  fi
}

session_result() {
  local wire_code=$1 host code worst=0
  case $wire_code in
    0) ;;
    129 | 130 | 143) exit "$wire_code" ;;
    124)
      [ -e "$run_dir/a/running" ] || fail "did not boot within $limit s: $(last_words a)"
      printf 'lab: timed out after %s s\n' "$limit" >&2
      exit 124
      ;;
    *)
      end_stragglers "$run_dir"
      fail "the wire ended with $wire_code: $(tail -n 3 "$run_dir/wire.log")"
      ;;
  esac
  for host in "${host_names[@]}"; do
    [ ! -e "$run_dir/$host/failed" ] || fail "host $host: $(<"$run_dir/$host/failed")"
  done
  for host in "${host_names[@]}"; do
    [ -s "$run_dir/$host/status" ] || fail "host $host died: $(last_words "$host")"
    read -r code <"$run_dir/$host/status"
    [ "$worst" -ne 0 ] || worst=$code
  done
  say "commands started after $(boot_seconds) s"
  [ -z "$capture${wire_options[*]}" ] || say "wire: $(tr '\n' ' ' <"$run_dir/report")"
  cat "$run_dir/wire.log" >&2
  exit "$worst"
}

# What a host's console says, short of a dying kernel's registers.
last_words() { sed '/^CPU: /,$d' "$run_dir/$1/console" | tail -n 8; }

boot_seconds() {
  local began
  began=$(stat -c %.6Y "$run_dir/a/running")
  printf '%s' "$(((${began/./} - started) / 1000))" | sed 's/...$/.&/; s/^\./0./'
}

session_end() {
  trap '' INT TERM HUP
  if [ -n "$wire_pid" ]; then
    kill -TERM "$wire_pid" 2>/dev/null || true
    wait "$wire_pid" 2>/dev/null || true
    wait 2>/dev/null || true
  fi
  remove_run "$run_dir"
}

# remove_run DIRECTORY: a run's. What was killed a moment ago may still make files in it.
remove_run() {
  local try
  for try in {1..100}; do
    rm -rf "$1" 2>/dev/null && return
    sleep 0.1
  done
  rm -rf "$1" || fail "after $try tries"
}

# end_stragglers DIRECTORY: of a run. A wire that was killed could not end what is below it. A kernel's death ends its
# processes, but not its own helpers.
end_stragglers() {
  local file files
  mapfile -t files < <(grep -lF "$1/" /proc/[0-9]*/cmdline 2>/dev/null)
  for file in "${files[@]}"; do
    kill -KILL "$(basename "$(dirname "$file")")" 2>/dev/null || true
  done
}

# What a run that was killed outright could not remove: its processes end with it or soon after, its directory is left.
sweep() {
  local left pid
  for left in "${TMPDIR:-/tmp}"/sdp4j-lab.*.??????; do
    [ -O "$left" ] || continue
    pid=${left##*/sdp4j-lab.}
    [ ! -e "/proc/${pid%%.*}" ] || continue
    end_stragglers "$left"
    remove_run "$left"
  done
}
