//! Every capacity of the freestanding crates, each with its reason and its cost.
