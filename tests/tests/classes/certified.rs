//! Classes with certificates: a hundredth of the million that `trust certified 1000000` judges.

use tests::certified::{Campaign, Judged};

/// Number of class files.
const FILES: usize = 10_000;

#[test]
fn the_check_accepts_what_the_verifier_accepts_and_nothing_else() {
    let mut campaign = Campaign::new(1);
    campaign
        .run(FILES, 1)
        .unwrap_or_else(|finding| panic!("{finding}"));
    let tally = campaign.tally;
    println!("{tally}");
    assert_eq!(tally.files(), FILES as u64);
    // Each kind of certificate has been accepted and refused, so that the law could have failed.
    assert!(tally.honest > 0 && tally.rejected > 0 && tally.malformed > 0);
    // The law is that no certificate of a rejected class is accepted.
    assert!(tally.inferred.refused > 0 && tally.inferred.accepted == 0);
    let has_both = |judged: Judged| judged.accepted > 0 && judged.refused > 0;
    assert!(has_both(tally.foreign) && has_both(tally.claimed) && has_both(tally.mutated));
}
