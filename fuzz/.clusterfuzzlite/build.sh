#!/bin/bash -eu
# Builds every target into $OUT, with its options and its seeds. ClusterFuzzLite and OSS-Fuzz run this script in their
# container, which sets SRC, WORK and OUT.

cd "$SRC/jive"
# Fuzzing needs nightly, not the toolchain that rust-toolchain.toml pins for the tests.
export RUSTUP_TOOLCHAIN=nightly
RUSTFLAGS='' cargo run --locked -p tests --bin trust -- seeds "$WORK/seeds"

cd fuzz
cargo fuzz build -O
for target in $(cargo fuzz list); do
  cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  # The same lengths as in scripts/fuzz-all; chosen, not measured.
  dictionary='' max_len=3000
  case $target in
    parse | verify | certified | run | reference | verdict) dictionary=class max_len=8192 ;;
    scenario | capture) dictionary=$target max_len=8192 ;;
    golden) max_len=16384 ;;
  esac
  printf '[libfuzzer]\nmax_len = %s\n' "$max_len" >"$OUT/$target.options"
  [ -z "$dictionary" ] || cp "dictionaries/$dictionary.dict" "$OUT/$target.dict"
  (cd "$WORK/seeds/$target" && zip -qr "$OUT/${target}_seed_corpus.zip" .)
done
