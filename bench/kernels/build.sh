#!/bin/sh
# Recompiles the committed binaries: the C kernels for WebAssembly and eBPF, and the Java programs of this crate.
# Needs clang 19 with lld, and JDK 17. `build.sh DIR` writes to DIR.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}
clang=${CLANG:-clang-19}
# -fno-builtin keeps loops as loops: otherwise clang replaces some by memset, which the embedder would provide.
flags="-std=c11 -O3 -Wall -Wextra -Werror -ffreestanding -fno-builtin"
$clang --target=wasm32-unknown-unknown $flags -nostdlib -Wl,--no-entry,--strip-all,-z,stack-size=4096 \
  -o "$out/kernels.wasm" "$here/kernels.c"
chmod 644 "$out/kernels.wasm"
$clang --target=bpfel $flags -mcpu=v3 -c -o "$out/kernels.bpf.o" "$here/kernels.c"

mkdir -p "$out/class"
javac --release 8 -g -Xlint:-options -encoding UTF-8 -implicit:none \
  -cp "$here/../../tests/java/class" -d "$out/class" "$here"/../programs/*.java "$here/../peers/Rounds.java"
