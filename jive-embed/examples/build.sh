#!/bin/sh
# Recompiles the examples' classes with JDK 17. `build.sh DIR` writes to DIR.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
for of in . version1 version2 outside/src; do
  mkdir -p "$out/$of"
  javac --release 8 -g -Xlint:all,-options -Werror -encoding UTF-8 -d "$out/$of" "$here/$of"/*.java
done
