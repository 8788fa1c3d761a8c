# The commands of CONTRIBUTING.md, for `just`. `just --list` shows them.

# A compiled applet at work on the simulated NIC.
run *arguments:
    cargo run --release -- run {{arguments}}

# The tests.
test *arguments:
    cargo test --workspace {{arguments}}

# Formatting, lints and documentation, as CI checks them.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps

# Everything that must hold.
ci:
    .ci/run

# Accepts the traces that the scenarios give now.
bless:
    INSTA_UPDATE=always cargo test -p tests --test simulator traces

# Instruction counts against the committed ones.
gate:
    bench/gate

# Speed beside other machines, as ratios.
bench *arguments:
    bench/run {{arguments}}

# Code size of the freestanding crates.
size:
    scripts/size

# Every fuzz target for some seconds each.
fuzz seconds='60':
    scripts/fuzz-all {{seconds}}

# The example of a new interface: applied, tested, removed.
walk:
    scripts/walk
