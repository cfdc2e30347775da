#!/bin/sh
# Make a program of the system available where that is possible.
#
# Usage: ensure-program.sh NAME PACKAGE skip|fail PROGRAM [PROGRAM ...]
#
# One of the programs, each a command or a pattern of paths, will do. When there is none, this script
# tries apt-get. When that does not work either, it says so. With "skip" it then ends well: the tests
# that need the program are skipped. With "fail" it fails: there is nothing to do without it.
set -u

name=$1 package=$2 without=$3
shift 3

find_program() {
    for candidate in "$@"; do
        command -v "$candidate" >/dev/null 2>&1 && return 0
        for path in $candidate; do
            [ -x "$path" ] && [ -f "$path" ] && return 0
        done
    done
    return 1
}

give_up() {
    if [ "$without" = skip ]; then
        echo "$name: $1; the tests that need it will be skipped."
        exit 0
    fi
    echo "$name: $1; install it by hand, then try again." >&2
    exit 1
}

find_program "$@" && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "it was not found, and there is no apt-get to install it"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "it was not found, and installing it needs root"
fi

echo "$name: installing it"
log=$(mktemp)
if $as_root apt-get update -q >"$log" 2>&1 </dev/null &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y "$package" \
        >>"$log" 2>&1 </dev/null &&
    find_program "$@"; then
    rm -f "$log"
    exit 0
fi
tail -n 5 "$log"
rm -f "$log"
give_up "the installation failed"
