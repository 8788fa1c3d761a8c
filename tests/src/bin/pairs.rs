//! Prints how many of the possible pairs of consecutive ops each generator reaches: `pairs [ROUNDS]`, where any two
//! phrases meet ROUNDS times. The program also prints the fused pairs of ops that no generator reached.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use tests::reference::pairs::{Pair, fused, measure, possible};

fn main() {
    let rounds = std::env::args().nth(1);
    let rounds = rounds.map_or(Ok(4), |rounds| rounds.parse());
    let rounds = rounds.expect("ROUNDS is a number");
    let (possible, fused) = (possible(), fused());
    let mut all: BTreeSet<Pair> = BTreeSet::new();
    println!("generator              classes   calls  pairs  of these run as one");
    for (name, tally, reached) in measure(rounds) {
        let together = reached.intersection(&fused).count();
        let (classes, calls) = (tally.classes, tally.calls);
        println!(
            "{name:22} {classes:7} {calls:7} {:6} {together:6}",
            reached.len()
        );
        all.extend(reached);
    }
    let together = all.intersection(&fused).count();
    println!("{:38} {:6} {together:6}", "all", all.len());
    println!("{:38} {:6} {:6}", "at most", possible.len(), fused.len());
    let unforeseen: Vec<_> = all.difference(&possible).collect();
    assert!(unforeseen.is_empty(), "{unforeseen:?}");
    let missed: Vec<_> = fused.difference(&all).collect();
    println!("missed of those run as one:");
    for [first, second] in missed {
        println!("  {first} {second}");
    }
}
