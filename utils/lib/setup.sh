# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by utils/quickstart, utils/check and utils/fuzz: finds or installs what they need.
# Sourced by bash with -euo pipefail; expects to run anywhere in the checkout.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=$root/.venv
python=$venv/bin/python
build=$root/build
llvm_version=22
# What one checkout has compiled, another need not.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

say() { printf '\033[1m== %s\033[0m\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "installing $* needs root; install them and run this again"
  fi
}

# ensure_packages NAME...: installs the Debian packages that are missing.
ensure_packages() {
  command -v dpkg-query >/dev/null ||
    fail "packages are installed on Debian and Ubuntu only; docs/GettingStarted.md lists what to install elsewhere"
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  as_root apt-get update -qq
  if ! apt-cache show libmlir-$llvm_version-dev >/dev/null 2>&1; then
    fail "this release has no MLIR $llvm_version; docs/GettingStarted.md says how to get the LLVM project's own packages"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

build_packages="build-essential clang-$llvm_version cmake ninja-build ccache git ca-certificates python3 python3-venv
  libmlir-$llvm_version-dev mlir-$llvm_version-tools llvm-$llvm_version-dev llvm-$llvm_version-tools
  lld-$llvm_version libzstd-dev nlohmann-json3-dev libcli11-dev libopenblas0-pthread libgloo-dev"
test_packages="libgtest-dev pkgconf clang-format-$llvm_version clang-tidy-$llvm_version chromium chromium-driver"

ensure_venv() {
  [ -x "$python" ] || { say "creating a virtual environment"; python3 -m venv "$venv"; }
}

# ensure_python REQUIREMENTS: a virtual environment that holds them.
ensure_python() {
  local requirements=$1 stamp=$venv/.$(basename "$1").stamp
  ensure_venv
  if [ -f "$stamp" ] && cmp -s "$requirements" "$stamp"; then return; fi
  say "installing Python packages"
  # The CPU build of PyTorch is a tenth of the size, but not every index has it.
  local torch=2.13.0
  "$python" -c "import torch, sys; sys.exit(not torch.__version__.startswith('$torch'))" 2>/dev/null ||
    "$python" -m pip install -q --disable-pip-version-check "torch==$torch+cpu" 2>/dev/null ||
    "$python" -m pip install -q --disable-pip-version-check "torch==$torch"
  "$python" -m pip install -q --disable-pip-version-check -r "$requirements" 2>&1 | { grep -v WARNING || true; }
  cp "$requirements" "$stamp"
}

# ensure_oracles REQUIREMENTS FOLDER: a folder of the virtual environment that holds them, without what they depend on.
ensure_oracles() {
  local requirements=$1 folder=$venv/$2
  cmp -s "$requirements" "$folder/.stamp" && return
  say "installing $2"
  "$python" -m pip install -q --disable-pip-version-check --no-deps --upgrade --target "$folder" -r "$requirements" 2>&1 | { grep -v WARNING || true; }
  cp "$requirements" "$folder/.stamp"
}

# configure_build OPTION...: configures where there is no build yet, or where
# it was not configured with each of these options: several sources at a time,
# unless the build is somebody's own that compiles each by itself.
configure_build() {
  local option missing= preset=quick
  if [ -f "$build/CMakeCache.txt" ] && ! grep -qx 'CMAKE_UNITY_BUILD:.*=ON' "$build/CMakeCache.txt"; then preset=default; fi
  for option in "$@"; do
    grep -qxF -e "$option" "$build/.options" 2>/dev/null || missing=1
  done
  if [ -f "$build/build.ninja" ] && [ -z "$missing" ]; then return; fi
  say "configuring"
  cmake --preset "$preset" -S "$root" -B "$build" "$@" >"$root/build.log" 2>&1 || { tail -30 "$root/build.log"; fail "configuring failed"; }
  mkdir -p "$build"; mv "$root/build.log" "$build/configure.log"
  printf '%s\n' "$@" >"$build/.options"
}

build_targets() {
  say "building"
  cmake --build "$build" -j "$(nproc)" --target "$@"
}
