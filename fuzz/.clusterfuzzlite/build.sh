#!/bin/bash -eu
# Builds every target into $OUT, each with what it starts from. Run by ClusterFuzzLite and OSS-Fuzz in
# their container, which sets SRC, WORK and OUT.

cd "$SRC/jive"
# The toolchain that rust-toolchain.toml names is for the tests; fuzzing wants nightly.
export RUSTUP_TOOLCHAIN=nightly
RUSTFLAGS='' cargo run --locked -p tests --no-default-features --bin seeds -- "$WORK/seeds"

cd fuzz
cargo fuzz build -O
for target in $(cargo fuzz list); do
  cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  case $target in
    parse | verify | run) corpus=class ;;
    *) corpus=$target ;;
  esac
  cp "corpus-min/$corpus"/* "$WORK/seeds/$target/"
  (cd "$WORK/seeds/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)
done
