//! The three variants of the interpreter, one of which `build.rs` chooses for each build.
//!
//! | variant | chosen for | dispatch | ops |
//! |---|---|---|---|
//! | threaded | optimised code on x86-64 and AArch64 | each op ends in a tail call of the next op's function | all |
//! | looped | other processors, and code that is not optimised | a loop over a `match` | no pairs, no operands from the accumulator, no row under `threaded` of the op table |
//! | small | `opt-level` `s` and `z` | a loop over a `match` | as looped, but no jump back that compares, no constant index, no searching switch |
//!
//! All variants compute the same values, and agree on fuel, traps and traces. Every kind of op exists in every variant.
//! The constants `THREADED` and `SMALL` decide which kinds of ops the linker makes, so that the compiler drops the code
//! for all other kinds. The two dispatch loops are `interp/threaded/` and `interp/looped.rs`.

/// Whether ops are dispatched by tail calls.
///
/// Fused ops, and ops that read an operand from the accumulator, are faster only with dispatch by tail calls. In a loop
/// over a `match`, the accumulator would be one more value to keep, and each fused op would make the loop larger.
pub(crate) const THREADED: bool = cfg!(threaded);

/// Whether small code matters more than speed.
pub(crate) const SMALL: bool = cfg!(small);

const _: () = assert!(!(THREADED && SMALL));
