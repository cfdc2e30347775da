#!/bin/sh
# Make wrk, the load generator, available to the benchmark of the service where that is possible.
#
# When it is missing, this script tries apt-get. When that does not work either, it says so and fails:
# without it there is nothing to measure with.
set -u

give_up() {
    echo "wrk: $1; install it by hand, then run the benchmark again." >&2
    exit 1
}

command -v wrk >/dev/null 2>&1 && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "it was not found, and there is no apt-get to install it"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "it was not found, and installing it needs root"
fi

echo "wrk: installing it for the benchmark"
log=$(mktemp)
if $as_root apt-get update -q >"$log" 2>&1 </dev/null &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y wrk \
        >>"$log" 2>&1 </dev/null &&
    command -v wrk >/dev/null 2>&1; then
    rm -f "$log"
    exit 0
fi
tail -n 5 "$log" >&2
rm -f "$log"
give_up "the installation failed"
