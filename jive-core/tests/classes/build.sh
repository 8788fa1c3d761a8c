#!/bin/sh
# Makes the class files again from the sources beside them, with a JDK 17.
set -eu
cd "$(dirname "$0")"
javac --release 8 -Xlint:-options -g:none ./*.java unet/Nic.java
rm unet/Nic.class
javac --release 11 -g:none -d release11 Control.java
cargo run -q -p jive -- asm Dead.jasm
