#!/bin/sh
# Recompiles the Java programs of the comparison with OpenJDK, with JDK 17: programs, opcodes, kernels and driver.
# `build.sh DIR` writes below DIR.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
compile="javac --release 8 -g -Xlint:-options -encoding UTF-8 -implicit:none"
mkdir -p "$out/class" "$out/driver"
$compile -d "$out/class" "$here"/programs/*.java "$here"/opcodes/*.java "$here"/kernels/*.java
$compile -d "$out/driver" "$here"/driver/*.java
