#!/bin/sh
# Recompiles the applets: java/*.java to class/*.class, with JDK 17. `build.sh DIR` writes to DIR.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here/class}
mkdir -p "$out"
# -implicit:none: the stub is compiled against, never shipped; the NIC is behind it.
javac --release 8 -g -Xlint:all,-options -Werror -encoding UTF-8 -implicit:none \
    -sourcepath "$here/java" -d "$out" "$here"/java/*.java
[ "$#" -gt 0 ] || javac --release 8 -g -Xlint:all,-options -Werror -encoding UTF-8 -implicit:none \
    -sourcepath "$here/java" -d "$here/experiments" "$here"/experiments/*.java
