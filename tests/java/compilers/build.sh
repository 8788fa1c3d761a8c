#!/bin/sh
# Recompiles the compiler corpus with JDK 17 and ecj 3.32: the same sources, one directory for each compiler.
# `build.sh DIR` writes below DIR.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
programs="BooleanArrays CompoundAssignment ConstantValues DeepExpressions InstanceMethods ShortCircuit
    StaticInit SwitchForms Traps"
sources=$here/OwnNatives.java
for program in $programs; do
    sources="$sources $here/../programs/$program.java"
done
for release in 8 11 17; do
    javac --release "$release" -g -Xlint:-options -d "$out/javac-$release-g" $sources
    javac --release "$release" -g:none -Xlint:-options -d "$out/javac-$release-g-none" $sources
done
for target in 1.1 1.2 1.3; do
    ecj -nowarn -proc:none -source 1.3 -target "$target" -g -d "$out/ecj-$target" $sources
done
ecj -nowarn -proc:none -source 1.4 -target 1.4 -g -d "$out/ecj-1.4" $sources
ecj -nowarn -proc:none -source 1.4 -target 1.4 -g:none -d "$out/ecj-1.4-g-none" $sources
ecj -nowarn -proc:none -17 -g -d "$out/ecj-17" $sources
