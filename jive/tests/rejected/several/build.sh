#!/bin/sh
# Compiles the classes of several mistakes beside their sources. Needs a JDK 17.
set -eu
cd "$(dirname "$0")"
javac --release 8 -Xlint:-options -XDstringConcat=inline -g -d . ./*.java
