# shellcheck shell=bash
# What every part of the lab uses: messages, failures, packages, the cache.

LAB_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/sdp4j-lab"

say() { [ "${quiet:-0}" -eq 1 ] || printf 'lab: %s\n' "$*" >&2; }

# The lab itself failed: 125 tells it from what the command returned.
fail() {
  printf 'lab: %s\n' "$*" >&2
  exit 125
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Installs those of the given package:file pairs whose file is not there. The file is a command or an absolute pattern.
need() {
  local pair missing=()
  for pair in "$@"; do
    present "${pair#*:}" || missing+=("${pair%%:*}")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  command -v apt-get >/dev/null || fail "needs ${missing[*]}, and there is no apt-get here"
  apt_update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$LAB_CACHE/apt.log" 2>&1 ||
    fail "cannot install ${missing[*]}: $(tail -n 3 "$LAB_CACHE/apt.log")"
}

present() {
  case $1 in
    /*) compgen -G "$1" >/dev/null ;;
    *) PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null ;;
  esac
}

apt_update() {
  as_root apt-get update -qq >"$LAB_CACHE/apt.log" 2>&1 || fail "apt-get update failed: $(tail -n 3 "$LAB_CACHE/apt.log")"
}

# Fetches a package into the current directory without installing it and unpacks it to a directory.
unpack_package() {
  local package=$1 to=$2
  apt-get download -qq "$package" 2>"$to.log" ||
    { apt_update && apt-get download -qq "$package" 2>"$to.log"; } ||
    fail "cannot fetch $package: $(tail -n 3 "$to.log")"
  dpkg-deb -x "$package"_*.deb "$to"
  rm -f "$package"_*.deb "$to.log"
}

# Runs a function of the lab up to its first failure, its output in the build log. It gets a shell of its own, because
# `set -e` has no force in whatever is called left of `||`.
logged() {
  # shellcheck disable=SC2016 # for the other shell
  LAB_DIR=$LAB_DIR bash -euo pipefail -c 'for part in common uml stock; do . "$LAB_DIR/lib/$part.sh"; done; "$@"' lab "$@" \
    >"$LAB_CACHE/build.log" 2>&1
}

# Runs a builder alone, so that two first runs at once build once; the builder looks again before it starts.
alone() {
  local lock
  exec {lock}>"$LAB_CACHE/lock"
  flock "$lock"
  "$@"
  exec {lock}>&-
}
