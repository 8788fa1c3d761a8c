#!/bin/sh
# Builds jive-javac.jar from src/, with JDK 17. `build.sh DIR` writes to DIR.
#
# The jar is the same on every machine: entries are sorted and not compressed, their times are fixed, and there is no
# manifest.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(CDPATH= cd -- "$out" && pwd)
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
mkdir -p "$built/META-INF/services"
cp "$here"/src/META-INF/services/* "$built/META-INF/services"
# Without line numbers and variable names: the jar is small, and nobody debugs it from there.
javac --release 9 -g:none -proc:none -Xlint:all,-options -Werror -encoding UTF-8 -d "$built" "$here"/src/jive/javac/*.java
cd "$built"
rm -f "$out/jive-javac.jar"
# A class name has no white space, so the list may be split there.
jar --create --no-manifest --no-compress --date=1998-01-01T00:00:00Z --file "$out/jive-javac.jar" \
    $(find . -type f | sed 's|^\./||' | LC_ALL=C sort)
