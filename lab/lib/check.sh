# shellcheck shell=bash
# What the checks share: a place to work in that is gone afterwards, and ways to say what was wrong.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# No check hangs: each run has its limit.
lab() { "$LAB_DIR/run" --timeout "$(slow 900 240)" "$@"; }

wrong() {
  printf 'wrong: %s\n' "$*" >&2
  exit 1
}

expect() {
  [ "$2" = "$3" ] || wrong "$1: expected \"$2\", got \"$3\""
}

# between WHAT LOW VALUE HIGH, whole numbers
between() {
  local n
  for n in "$2" "$3" "$4"; do [[ $n =~ ^-?[0-9]+$ ]] || wrong "$1: \"$n\" is no number"; done
  if [ "$3" -lt "$2" ] || [ "$3" -gt "$4" ]; then wrong "$1: $3 is not from $2 to $4"; fi
}

# Exit code of a command that may fail, in $code.
code_of() {
  code=0
  "$@" || code=$?
}

# slow STOCK UML: the number that suits the kernel.
slow() { if [ "$LAB_KERNEL" = stock ]; then echo "$1"; else echo "$2"; fi; }

# The wire's counter of that name in the last line that lab/run printed to the given file.
counted() { sed -n "s/^lab: wire: .*\b$1=\([0-9]*\).*/\1/p" "$2"; }

# serve_and_connect PORT SERVER CLIENT [OPTION...]: two shell commands, the client once the server listens on the port.
#
# With the stock kernel, whose siw is as Debian's source has it, a run that timed out is repeated, twice at most, and says
# so: a client's first message may be lost in siw_accept(), as siw.sed explains.
serve_and_connect() {
  local port=$1 server=$2 client=$3 try tries=1 commands
  shift 3
  if [ "$LAB_HOSTS" -eq 1 ]; then
    commands=(bash -c "$server & lab-listens $port && $client && wait \$!")
  else
    commands=(bash -c "$server & lab-listens $port; lab-meet listening; wait \$!" :: bash -c "lab-meet listening; $client")
  fi
  [ "$LAB_KERNEL/$LAB_FABRIC" != stock/siw ] || tries=3
  for ((try = 1; try <= tries; try++)); do
    code_of lab "$@" -- "${commands[@]}"
    [ "$code" -eq 124 ] || break
    printf 'attempt %d of %d timed out\n' "$try" "$tries" >&2
  done
  return "$code"
}
