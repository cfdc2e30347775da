#!/bin/sh
# Make the Chromium browser available to the tests where that is possible.
#
# The tests of the explorer drive the browser of the system. When there is none, this script tries
# apt-get. When that does not work either, it says so and ends well: the tests that need a browser are
# then skipped.
set -u

find_chromium() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" 2>/dev/null && return 0
    done
    return 1
}

give_up() {
    echo "Chromium: $1; the tests that need a browser will be skipped."
    exit 0
}

find_chromium >/dev/null && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "it was not found, and there is no apt-get to install it"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "it was not found, and installing it needs root"
fi

echo "Chromium: installing the browser for the tests"
log=$(mktemp)
if $as_root apt-get update -q >"$log" 2>&1 </dev/null &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y chromium \
        >>"$log" 2>&1 </dev/null &&
    find_chromium >/dev/null; then
    rm -f "$log"
    exit 0
fi
tail -n 5 "$log"
rm -f "$log"
give_up "the installation failed"
