#!/bin/sh
# SPDX-License-Identifier: MIT
# Cured @VERSION@ in one file: a script, and behind it an archive with the window,
# the command, and all that they need of a Linux system. The first start unpacks
# it into the user's cache.
#
# usage: FILE [RESULT.cured|KERNEL.cu]…   opens the window
#        FILE --unpack FOLDER             makes FOLDER/cured, with bin/cured-gtk,
#                                         bin/cured and their manual
set -eu

fail ()
{
  printf 'cured: %s\n' "$*" >&2
  exit 2
}

unpack ()
{
  tail -c "+$((@HEADER_BYTES@ + 1))" "$0" | tar -xzf - -C "$1" ||
    fail "the archive in $0 could not be unpacked into $1; look for space there," \
      "or fetch the file anew"
}

case "${1:-}" in
  --unpack)
    [ $# = 2 ] || fail "usage: $0 --unpack FOLDER"
    mkdir -p "$2"
    unpack "$2"
    printf '%s\n' "$2/cured/bin/cured-gtk"
    exit 0
    ;;
esac

[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] ||
  fail "there is no HOME to unpack in; use $0 --unpack FOLDER"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/cured"
here="$cache/window-@VERSION@-@DIGEST@"
if [ ! -x "$here/cured/bin/cured-gtk" ]; then
  mkdir -p "$cache"
  new="$(mktemp -d "$cache/window-XXXXXX")"
  trap 'rm -rf "$new"' EXIT
  unpack "$new"
  # Where another start was quicker, its folder stays.
  mv -T "$new" "$here" 2>/dev/null || [ -x "$here/cured/bin/cured-gtk" ] ||
    fail "$here could not be made; remove what lies there"
  rm -rf "$new"
  trap - EXIT
fi
exec "$here/cured/bin/cured-gtk" "$@"
