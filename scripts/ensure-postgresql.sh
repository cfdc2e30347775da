#!/bin/sh
# Make the PostgreSQL server programs available to the tests where that is possible.
#
# The tests start a server of their own and need initdb for that. When it is missing, this script tries
# apt-get. When that does not work either, it says so and ends well: the tests that need a server are
# then skipped.
set -u

find_initdb() {
    command -v initdb 2>/dev/null && return 0
    for candidate in /usr/lib/postgresql/*/bin/initdb; do
        [ -x "$candidate" ] && echo "$candidate" && return 0
    done
    return 1
}

give_up() {
    echo "PostgreSQL: $1; the tests that need a server will be skipped."
    exit 0
}

find_initdb >/dev/null && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "initdb was not found, and there is no apt-get to install it"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "initdb was not found, and installing it needs root"
fi

echo "PostgreSQL: installing the server for the tests"
log=$(mktemp)
if $as_root apt-get update -q >"$log" 2>&1 </dev/null &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y postgresql \
        >>"$log" 2>&1 </dev/null &&
    find_initdb >/dev/null; then
    rm -f "$log"
    exit 0
fi
tail -n 5 "$log"
rm -f "$log"
give_up "the installation failed"
