//! The ids of all statements in `docs/papers.md` that a value may come from. A test compares this list with the page.

/// All ids, in the order of the page.
pub(super) const STATEMENTS: &[&str] = &[
    "S1-01", "S1-02", "S1-03", "S1-04", "S1-05", "S1-06", "S1-06a", "S1-07", "S1-08", "S1-09",
    "S1-10", "S1-11", "S1-12", "S1-13", "S1-14", "S1-15", "S1-16", "S1-17", "S1-18", "S1-19",
    "S1-20", "S1-21", "S1-22", "S1-23", "S1-24", "S1-25", "S1-26", "S1-27", "S1-28", "S1-29",
    "S1-30", "S1-31", "S1-32", "S1-33", "S1-34", "S1-35", "S1-35a", "S1-36", "S1-37", "S1-38",
    "S1-39", "S1-40", "S1-41", "S1-42", "S1-43", "S1-44", "S1-45", "S1-45a", "S1-46", "S1-47",
];
