# shellcheck shell=bash
stock_prepare() { fail "not yet"; }
