//! Ends well if the draws of every distribution are those of other machines. `scripts/draws-on-wasm32` runs it on another
//! machine, which has no output: there it traps if they are not.

fn main() {
    if let Err(difference) = traffic::draws::check() {
        panic!("{difference}");
    }
}
