# shellcheck shell=bash
checks_main() { fail "not yet"; }
