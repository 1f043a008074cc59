#!/usr/bin/env bash
# Installs the Debian packages that Ergon needs and this machine lacks; says nothing when none is missing.
#   tools/setup.sh        what building and running need
#   tools/setup.sh test   what `make test` and `make pictures` need on top: a browser for the report pages
#   tools/setup.sh tidy   what `make tidy` needs on top
#   tools/setup.sh mutate what `make mutate` needs on top
#   tools/setup.sh --check  installs nothing: names what is missing for building, and the command that installs it (exit code 1)
# ERGON_SKIP_SETUP=1 skips the check, for systems where the dependencies come from elsewhere.
set -euo pipefail

[[ ${ERGON_SKIP_SETUP:-} == 1 ]] && exit 0

packages=(
  build-essential cmake ninja-build ccache            # compiler and build
  libeigen3-dev libsundials-dev                       # linear algebra, integrators and Newton
  libtomlplusplus-dev libcli11-dev libfmt-dev nlohmann-json3-dev   # scenarios, command line, text, summaries
  zlib1g-dev                                          # results inside report pages
  libpugixml-dev libzip-dev                           # FMUs: their descriptions and archives
  libgtest-dev clang-format                           # tests, formatting
)
# The report pages are bundled by node; one from elsewhere does as well.
command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm)
case ${1:-} in
  "") ;;
  test)
    packages+=(python3 python3-numpy python3-pandas)  # the latter read result files as the documents say
    packages+=(python3-dev pybind11-dev python3-pytest python3-scipy python3-pip python3-setuptools python3-wheel python3-venv mypy)
    [[ -x /usr/bin/chromium ]] || packages+=(chromium)
    ;;
  mutate) packages+=(python3 git) ;;
  tidy) packages+=(clang-tidy) ;;
  --check) ;;
  *) echo "setup: unknown argument '$1'; usage: tools/setup.sh [test|tidy|mutate|--check]" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: this system has no apt-get. Install the equivalents of these Debian 12 packages yourself," >&2
  echo "       then repeat with ERGON_SKIP_SETUP=1: ${packages[*]}" >&2
  exit 1
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done
(( ${#missing[@]} == 0 )) && exit 0
if [[ ${1:-} == --check ]]; then
  echo "setup: packages are missing: ${missing[*]}" >&2
  echo "       Install them with:  tools/setup.sh   (or: apt-get install --no-install-recommends ${missing[*]})" >&2
  exit 1
fi

as_root=()
if (( $(id -u) != 0 )); then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing and installing them needs root, but there is no sudo." >&2
    echo "       Run as root:  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

echo "== setup: installing ${missing[*]} (this can take some minutes)"
if ! apt update || ! apt install --yes --no-install-recommends "${missing[@]}"; then
  echo "setup: apt-get failed (see above). Check the network and the package sources, then repeat." >&2
  exit 1
fi
