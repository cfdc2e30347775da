#!/bin/sh
# Make Java available to the tests where that is possible.
#
# The tests start a small Spark cluster and need Java 17 or newer for that. When it is missing, this
# script tries apt-get. When that does not work either, it says so and ends well: the tests that need
# Spark are then skipped.
set -u

find_java() {
    java=$(command -v java 2>/dev/null)
    [ -n "${JAVA_HOME:-}" ] && java="$JAVA_HOME/bin/java"
    [ -n "$java" ] || return 1
    version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    [ "${version:-0}" -ge 17 ]
}

give_up() {
    echo "Java: $1; the tests that need Spark will be skipped."
    exit 0
}

find_java && exit 0

command -v apt-get >/dev/null 2>&1 || give_up "Java 17 was not found, and there is no apt-get to install it"

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up "Java 17 was not found, and installing it needs root"
fi

echo "Java: installing it for the tests"
log=$(mktemp)
if $as_root apt-get update -q >"$log" 2>&1 </dev/null &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y openjdk-17-jre-headless \
        >>"$log" 2>&1 </dev/null &&
    find_java; then
    rm -f "$log"
    exit 0
fi
tail -n 5 "$log"
rm -f "$log"
give_up "the installation failed"
