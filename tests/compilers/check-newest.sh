#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks every kernel of the catalogue with the newest NVRTC, which `dev/test --all` installs beside
# the one that the tests expect. Where CURED_NEWEST_NVRTC names none, or that one, it is skipped, and
# fails in continuous integration, which sets CURED_WANT_NEWEST.
#
# usage: check-newest.sh CURED
set -eu

get_version ()
{
  "$1" devices | sed -n 's/^compiler: //; s/, from .*//p'
}

give_up ()
{
  echo "$1"
  [ -n "${CURED_WANT_NEWEST:-}" ] || exit 77
  exit 1
}

[ -e "${CURED_NEWEST_NVRTC:-}" ] || give_up "CURED_NEWEST_NVRTC names no library."
expected="$(get_version "$1")"
CURED_NVRTC="$CURED_NEWEST_NVRTC"
export CURED_NVRTC
newest="$(get_version "$1")"
echo "The tests expect $expected; checked is $newest."
[ "$newest" != "$expected" ] || give_up "These are the same."
exec "$1" check --limit=200
