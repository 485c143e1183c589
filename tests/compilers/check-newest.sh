#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks every kernel of the catalogue with the newest NVRTC, which `dev/test --all` installs beside
# the one that the tests expect. Skipped where CURED_NEWEST_NVRTC does not name it.
#
# usage: check-newest.sh CURED
set -eu
[ -e "${CURED_NEWEST_NVRTC:-}" ] || { echo "CURED_NEWEST_NVRTC names no library."; exit 77; }
CURED_NVRTC="$CURED_NEWEST_NVRTC"
export CURED_NVRTC
"$1" devices | grep '^compiler'
exec "$1" check
