# Sourced by ./run and ./test: the Debian packages each needs, and how the missing ones are installed.
# "a|b" means any one of them: names differ between Debian 12, Debian 13 and Ubuntu 24.04.

build_packages=(
  g++ cmake ninja-build ccache
  'libboost1.81-dev|libboost1.83-dev|libboost1.88-dev'
  'libboost-json1.81-dev|libboost-json1.83-dev|libboost-json1.88-dev'
  libssl-dev libsqlite3-dev libfmt-dev libspdlog-dev libtomlplusplus-dev libcli11-dev prometheus-cpp-dev
)

test_packages=(
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev libyaml-cpp-dev
  nginx-light wrk openssl curl python3
  'clang-16|clang-19|clang-18|clang-17'
  'libclang-rt-16-dev|libclang-rt-19-dev|libclang-rt-18-dev|libclang-rt-17-dev'
  'clang-format-16|clang-format-19|clang-format-18|clang-format-17'
  'clang-tidy-16|clang-tidy-19|clang-tidy-18|clang-tidy-17'
)

# Services that some of the packages would start; the tests start their own.
packaged_services=(nginx)

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: this needs root, and there is no sudo: $*" >&2
    return 1
  fi
}

# Sets `missing` to those arguments of which no alternative is installed.
find_missing() {
  local name status choice installed=" "
  while read -r status name; do
    [[ $status == installed ]] && installed+="$name "
  done < <(IFS='|'; printf '%s\n' $* | xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null)
  missing=()
  for choice in "$@"; do
    local found=no
    for name in ${choice//|/ }; do
      [[ $installed == *" $name "* ]] && found=yes
    done
    [[ $found == yes ]] || missing+=("$choice")
  done
}

# Prints the first alternative of "a|b" that apt can install, or the first one when it can install none.
pick_available() {
  local name
  for name in ${1//|/ }; do
    if LC_ALL=C apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]'; then
      echo "$name"
      return
    fi
  done
  echo "${1%%|*}"
}

# Until the calling subshell ends, packages may not start their services.
forbid_service_starts() {
  local policy=/usr/sbin/policy-rc.d
  [[ -e $policy ]] && return
  trap "as_root rm -f $policy" EXIT
  printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
  as_root chmod 755 $policy
}

# apt-get install without questions, and without starting the services that come along, now or at the next boot.
install_quietly() (
  there_before=" "
  for service in "${packaged_services[@]}"; do
    if [[ -e /etc/init.d/$service ]]; then there_before+="$service "; fi
  done
  forbid_service_starts
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null || exit 1
  for service in "${packaged_services[@]}"; do
    if [[ -e /etc/init.d/$service && $there_before != *" $service "* ]]; then as_root update-rc.d "$service" disable; fi
  done
)

# install_missing packages…: does nothing, quickly, when all are there.
install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    echo "no dpkg here, so nothing is installed; needed are: $*"
    return
  fi
  local missing
  find_missing "$@"
  ((${#missing[@]})) || return 0
  echo "updating the package lists"
  as_root apt-get update -q </dev/null >/dev/null || echo "apt-get update failed; trying with the lists that are there"
  local names=() choice
  for choice in "${missing[@]}"; do names+=("$(pick_available "$choice")"); done
  echo "installing ${names[*]}"
  install_quietly "${names[@]}" || {
    echo "error: these packages could not be installed: ${names[*]}" >&2
    return 1
  }
}
