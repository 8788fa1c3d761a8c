#!/bin/sh
# Builds jive-model.jar from src/, with JDK 17. `build.sh DIR` writes to DIR.
#
# The jar is the same on every machine: entries are sorted and not compressed, their times are fixed, and there is no
# manifest. It has the sources too, so that a debugger finds them.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(CDPATH= cd -- "$out" && pwd)
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
cp -R "$here/src/." "$built"
cd "$built"
javac --release 8 -g -Xlint:all,-options -Werror -encoding UTF-8 unet/*.java jive/model/*.java
rm -f "$out/jive-model.jar"
# A class name has no white space, so the list may be split there.
jar --create --no-manifest --no-compress --date=1998-01-01T00:00:00Z --file "$out/jive-model.jar" \
    $(find . -type f | sed 's|^\./||' | LC_ALL=C sort)
