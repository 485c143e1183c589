# SPDX-License-Identifier: MIT
# What dev/demo, dev/test, dev/bundle, dev/fuzz and dev/sanitize share:
# packages, NVRTC, the build. Sourced, with the project's root as the current
# folder.
# shellcheck shell=bash disable=SC2034

# A Python or compiler wrapper of the user's own must not get in the way of the
# distribution's Meson; the answers of tools must not depend on the locale.
export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH"
export LC_ALL=C.UTF-8
unset LANGUAGE
umask 022

# The build; also what the programs need beyond that, a font and icons.
BUILD_PACKAGES=(gcc libc6-dev meson ninja-build pkgconf gettext
  libglib2.0-dev libjson-glib-dev libsqlite3-dev libzstd-dev libcairo2-dev
  libpango1.0-dev libgtk-4-dev libadwaita-1-dev
  libgtksourceview-5-dev
  libglib2.0-bin desktop-file-utils shared-mime-info gtk-update-icon-cache
  python3 python3-venv ca-certificates
  fonts-dejavu-core adwaita-icon-theme librsvg2-common)
TEST_PACKAGES=(xvfb dbus at-spi2-core python3-pyatspi gir1.2-gtk-4.0
  imagemagick openbox xdotool appstream locales patchelf binutils
  fish groff-base mandoc zsh python3-pytest python3-numpy)
BUNDLE_PACKAGES=(patchelf binutils gsettings-desktop-schemas)
# The same for another machine, beside its architecture's libraries.
CROSS_PACKAGES=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
  meson ninja-build pkgconf gettext patchelf binutils-aarch64-linux-gnu libglib2.0-bin
  libglib2.0-dev-bin python3 python3-venv ca-certificates fonts-dejavu-core
  libglib2.0-dev:arm64 libjson-glib-dev:arm64 libsqlite3-dev:arm64 libzstd-dev:arm64
  libcairo2-dev:arm64 libpango1.0-dev:arm64)
FUZZ_PACKAGES=(clang libclang-rt-dev)
# The version that the formatting test asks for, the browser in which web pages are
# tried, and what the Python package draws with and its notebooks run in; where a release
# does not have one, its test is skipped.
OPTIONAL_PACKAGES=(clang-format-14 chromium python3-pandas python3-matplotlib
  python3-tqdm python3-nbconvert python3-ipykernel)
# For the long tests: nodes and hosts on this machine, which the tests start and
# stop; and what these packages start by themselves.
CLUSTER_PACKAGES=(slurmctld slurmd slurm-client munge openssh-client
  openssh-server)
declare -A CLUSTER_SERVICES=([slurmctld]=slurmctld [slurmd]=slurmd [munge]=munge
  [openssh-server]=ssh)

say ()
{
  printf '%s\n' "$*"
}

die ()
{
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Prints those of the given packages that are not installed.
missing_packages ()
{
  local name
  for name in "$@"; do
    case "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" in
      installed) ;;
      *) printf '%s ' "$name" ;;
    esac
  done
}

# Runs apt-get as root, with no questions.
apt ()
{
  # env comes after sudo, which drops the caller's environment. The timeout
  # waits for a machine's own unattended upgrade to end.
  local command=(env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@")

  if [ "$(id -u)" = 0 ]; then
    "${command[@]}"
  else
    sudo "${command[@]}"
  fi
}

# Installs what is missing of the given packages.
install_packages ()
{
  local missing

  if ! command -v dpkg-query >/dev/null; then
    say "No dpkg here, so nothing is installed; needed are: $*"
    return 0
  fi
  read -r -a missing <<<"$(missing_packages "$@")"
  [ ${#missing[@]} != 0 ] || return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    die "not root, and no sudo here; have these installed: ${missing[*]}"

  say "Installing: ${missing[*]}"
  # A package list that is old or empty does not have them.
  apt install --no-install-recommends "${missing[@]}" ||
    { apt update && apt install --no-install-recommends "${missing[@]}"; } ||
    die "apt-get could not install: ${missing[*]}"
}

# Installs those of the given packages that this release has; any privilege
# that is missing is no error.
install_optional_packages ()
{
  local name

  for name in $(missing_packages "$@"); do
    if apt-cache show "$name" >/dev/null 2>&1; then
      apt install --no-install-recommends "$name" || true
    fi
  done
}

# Installs Slurm and SSH for their tests. What a package starts and has started
# with the machine is stopped, but for what was there before.
install_cluster ()
{
  local name missing
  local -a as_root=()

  read -r -a missing <<<"$(missing_packages "${CLUSTER_PACKAGES[@]}")"
  [ ${#missing[@]} != 0 ] || return 0
  install_optional_packages "${missing[@]}"
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  for name in "${missing[@]}"; do
    name="${CLUSTER_SERVICES[$name]:-}"
    [ -n "$name" ] && [ -e "/etc/init.d/$name" ] || continue
    "${as_root[@]}" service "$name" stop >/dev/null 2>&1 || true
    "${as_root[@]}" update-rc.d "$name" disable >/dev/null 2>&1 || true
  done
}

# Installs the cross compiler and its libraries, from the distribution.
install_cross ()
{
  dpkg --print-foreign-architectures | grep -qx arm64 || {
    [ "$(id -u)" = 0 ] || die "not root; have it run once: dpkg --add-architecture arm64"
    dpkg --add-architecture arm64
    apt update
  }
  install_packages "${CROSS_PACKAGES[@]}"
}

# The CUDA runtime of the other machine, which is linked, in the given build folder.
ensure_cross_toolkit ()
{
  local folder="$1/toolkit" file

  [ ! -e "$folder/nvidia/cu13/include/cuda_runtime_api.h" ] || return 0
  mkdir -p "$folder"
  /usr/bin/python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --platform manylinux2014_aarch64 --dest "$folder" \
    'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*' ||
    die "the wheels of the CUDA runtime could not be had"
  for file in "$folder"/*.whl; do
    /usr/bin/python3 -m zipfile -e "$file" "$folder"
  done
}

# Prints NVRTC's path where the CUDA Toolkit's usual places have one.
find_nvrtc ()
{
  local file
  for file in "${CURED_NVRTC:-}" \
    /usr/local/cuda/lib64/libnvrtc.so.1[23] \
    /usr/local/cuda-1[23]*/lib64/libnvrtc.so.1[23] \
    /opt/cuda/lib64/libnvrtc.so.1[23] \
    /usr/lib/cuda/lib64/libnvrtc.so.1[23] \
    /usr/lib/*-linux-gnu/libnvrtc.so.1[23]
  do
    if [ -n "$file" ] && [ -e "$file" ]; then
      printf '%s\n' "$file"
      return 0
    fi
  done
  file="$(ldconfig -p 2>/dev/null |
    sed -n 's/.*libnvrtc\.so\.1[23] .*=> //p' | head -n 1)"
  [ ! -e "$file" ] || printf '%s\n' "$file"
}

# Prints the folder of the CUDA wheels in the given build folder, or nothing.
wheel_root ()
{
  local folder
  for folder in "$1"/nvrtc-venv/lib/python3*/site-packages/nvidia/cu1?; do
    if [ -e "$folder/include/crt/host_defines.h" ] &&
      ls "$folder"/lib/libnvrtc.so.1? >/dev/null 2>&1
    then
      (cd "$folder" && pwd)
      return 0
    fi
  done
  return 0
}

# Prints NVRTC's path among the CUDA wheels in the given build folder, or nothing.
wheel_nvrtc ()
{
  local root
  root="$(wheel_root "$1")"
  [ -z "$root" ] || printf '%s\n' "$root"/lib/libnvrtc.so.1? | head -n 1
}

# Makes sure that there is NVRTC, and tells what is run from here on where it is:
# exports CURED_NVRTC. Where there is none to be had it says so, and fails: what
# compiles no kernel works without it.
ensure_nvrtc ()
{
  local build="$1" venv="$1/nvrtc-venv" nvrtc

  nvrtc="$(find_nvrtc)"
  if [ -z "$nvrtc" ] && [ -z "$(wheel_root "$build")" ] &&
    ! { [ "$build" != _build ] && [ -n "$(wheel_root _build)" ] &&
      mkdir -p "$build" && ln -sfn "$PWD/_build/nvrtc-venv" "$venv"; }
  then
    install_wheels "$venv" || true
  fi
  [ -n "$nvrtc" ] || nvrtc="$(wheel_nvrtc "$build")"
  if [ -z "$nvrtc" ]; then
    say "NVRTC, which compiles kernels, is missing: recorded results open, but"
    say "nothing can be measured or checked. To add it, run this again where"
    say "the Python registry can be reached, install a CUDA Toolkit, or set"
    say "CURED_NVRTC=/path/to/libnvrtc.so.13."
    return 1
  fi
  export CURED_NVRTC="${CURED_NVRTC:-$nvrtc}"
}

# Tells the tests where the newest NVRTC is, besides the one that they expect.
ensure_newest_nvrtc ()
{
  local venv="$1/nvrtc-newest" file

  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv" || true
  "$venv/bin/pip" install --quiet --disable-pip-version-check --upgrade nvidia-cuda-nvrtc || true
  for file in "$venv"/lib/python3*/site-packages/nvidia/cu1?/lib/libnvrtc.so.1?; do
    [ ! -e "$file" ] || CURED_NEWEST_NVRTC="$(realpath "$file")"
  done
  if [ -z "${CURED_NEWEST_NVRTC:-}" ]; then
    say "The newest NVRTC could not be installed; no kernel is checked with it."
    return
  fi
  export CURED_NEWEST_NVRTC
}

# Installs the CUDA wheels into the given virtual environment.
install_wheels ()
{
  local venv="$1" log="$1.log"

  say "No CUDA Toolkit here: installing NVRTC's wheels into $venv"
  mkdir -p "${venv%/*}"
  rm -rf "$venv"
  # The version of the recordings: another one counts a few instructions and
  # registers more or less, and tests hold counts to the digit. The headers of
  # the runtime, with which the CUDA device is built, need those of crt.
  if /usr/bin/python3 -m venv "$venv" >"$log" 2>&1 &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
      'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-runtime==13.0.*' \
      'nvidia-cuda-crt==13.0.*' >>"$log" 2>&1
  then
    rm -f "$log"
    return 0
  fi
  rm -rf "$venv"
  say "They could not be installed; $log ends with:"
  tail -n 1 "$log"
  return 1
}

# Configures the given build folder with the given options, or brings it up to
# date with them.
configure ()
{
  local build="$1" root
  shift
  root="$(wheel_root "$build")"
  [ -z "$root" ] || set -- "$@" "-Dtoolkit=$root"

  if [ -e "$build/build.ninja" ]; then
    # A folder of another Meson, or one that was moved, is made anew.
    [ $# = 0 ] || meson configure "$build" "$@" >/dev/null 2>&1 ||
      meson setup --wipe "$build" "$@"
  else
    meson setup "$build" "$@"
  fi
}

configure_and_build ()
{
  configure "$@"
  meson compile -C "$1"
}
