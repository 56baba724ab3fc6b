# shellcheck shell=bash
# The lab checks: scripts in lab/checks that run on the caller's side and call lab/run. Their opening lines say what for:
#
#   # Goal: one line
#   # All: FABRIC/HOSTS ...      what `lab/run all` runs it on, with User-mode Linux
#   # Stock: FABRIC/HOSTS ...    what it runs it on with Debian's kernel as well
#   # Ci: FABRIC/HOSTS ...       what `lab/run ci` runs it on
#   # Limit: SECONDS             after which it is ended, and has failed; 300 if it does not say (stock kernel: 4 times)
#
# A check finds its place in LAB_FABRIC, LAB_HOSTS and LAB_KERNEL, which are lab/run's defaults, and in LAB_SESSION a
# directory that all checks of one run share; it passes when it exits 0.

CHECK_SECONDS=300

checks_main() {
  local wanted=$1
  shift
  case $wanted in
    list) checks_list ;;
    check) checks_run "$(if [ "$kernel" = uml ]; then echo All; else echo Stock; fi)" "$@" ;;
    all) checks_run "All Stock" ;;
    ci) checks_run Ci ;;
  esac
}

checks_list() {
  local script
  for script in "$LAB_DIR"/checks/*; do
    printf '%-12s %s\n' "${script##*/}" "$(header "$script" Goal)"
  done
}

header() { sed -n "s/^# $2: //p" "$1" | head -n 1; }

# checks_run SETS [NAME...]: every check, or those named, on what its header lists for each set; of one fabric only where
# that is asked for.
checks_run() {
  local set sets=$1 script place passed=0 began=$SECONDS failed=()
  shift
  for script; do [ -e "$LAB_DIR/checks/$script" ] || wrong "no check $script"; done
  unset LAB_QUIET # checks read what the lab says
  check_session=$(mktemp -d)
  check_log=$check_session/log
  check_group=
  # A check and its runs are a process group of their own, so that they can be ended together.
  trap '[ -z "$check_group" ] || kill -TERM -- "-$check_group"; rm -rf "$check_session"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  need tcpdump:tcpdump tshark:tshark shellcheck:shellcheck procps:pgrep
  for set in $sets; do
    kernel=uml
    [ "$set" != Stock ] || kernel=stock
    # It has traps of its own.
    (session_prepare)
    for script in "$LAB_DIR"/checks/*; do
      [ $# -eq 0 ] || [[ " $* " == *" ${script##*/} "* ]] || continue
      for place in $(header "$script" "$set"); do
        [ -z "${only_fabric:-}" ] || [ "${place%/*}" = "$only_fabric" ] || continue
        if check_once "$script" "$place"; then passed=$((passed + 1)); else failed+=("${script##*/} $place $kernel"); fi
      done
    done
  done
  printf 'lab: %d passed, %d failed in %d s\n' "$passed" "${#failed[@]}" "$((SECONDS - began))"
  [ "${#failed[@]}" -eq 0 ] || printf 'lab: failed: %s\n' "${failed[@]}"
  [ "${#failed[@]}" -eq 0 ] && [ "$passed" -gt 0 ]
}

check_once() {
  local script=$1 place=$2 began=$SECONDS code=0 limit
  limit=$(header "$script" Limit)
  limit=${limit:-$CHECK_SECONDS}
  [ "$kernel" = uml ] || limit=$((limit * 4))
  set -m
  (
    cd "$LAB_DIR/.." || exit
    LAB_DIR=$LAB_DIR LAB_SESSION=$check_session LAB_FABRIC=${place%/*} LAB_HOSTS=${place#*/} LAB_KERNEL=$kernel \
      exec timeout --kill-after=30 "$limit" "$script"
  ) </dev/null >"$check_log" 2>&1 &
  check_group=$!
  set +m
  wait "$check_group" || code=$?
  check_group=
  if [ "$code" -eq 0 ]; then
    printf 'ok   %-12s %-5s %-5s %3d s  %s\n' "${script##*/}" "$place" "$kernel" "$((SECONDS - began))" "$(header "$script" Goal)"
  else
    printf 'FAIL %-12s %-5s %-5s %3d s  exit code %d%s\n' "${script##*/}" "$place" "$kernel" "$((SECONDS - began))" "$code" \
      "$([ "$((SECONDS - began))" -lt "$limit" ] || echo ": it was ended after $limit s")"
    sed 's/^/     | /' "$check_log"
    return 1
  fi
}
