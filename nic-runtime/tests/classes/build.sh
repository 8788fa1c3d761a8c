#!/bin/sh
# Compiles the applets of the tests beside their sources. Needs a JDK 17.
set -eu
cd "$(dirname "$0")"
# -implicit:none: the stub is compiled against, never written here.
javac --release 8 -Xlint:-options -g -implicit:none -sourcepath ../../../applets/java:../../../applets/programs/java \
    -d . ./*.java
