#!/bin/sh
# Compiles the classes of the lints beside their sources. Needs a JDK 17.
set -eu
cd "$(dirname "$0")"
javac --release 8 -Xlint:-options -g -implicit:none -sourcepath ../../../applets/java -d . ./*.java
