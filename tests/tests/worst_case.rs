//! What is made to be slow is judged within its budget, and what compilers write far within it.

use jive_verifier::Policy;
use nic_runtime::sle::NicNative;
use tests::openjdk::committed;
use tests::worst::{Measured, family, measure};

fn judged(bytes: &[u8]) -> Measured {
    measure(bytes, Policy::ClassOnly, NicNative::TABLE)
}

#[test]
fn the_worst_case_family_keeps_to_its_budgets() {
    for worst in family() {
        let measured = judged(&worst.bytes);
        // Nothing is wrong with any of them but that they are long work.
        let expected = [None, Some("limit/verify-steps"), Some("limit/constants")];
        assert!(
            expected.contains(&measured.code),
            "{}: {measured:?}",
            worst.name
        );
        for (steps, limit) in &measured.steps.methods {
            assert!(steps <= limit, "{}: {steps} of {limit}", worst.name);
        }
        // Made to be just within the budget, so that every method is judged.
        let all = match worst.name {
            "long-methods" => Some(15),
            "methods" => Some(64),
            _ => None,
        };
        if let Some(all) = all {
            let methods = measured.steps.methods.len();
            assert_eq!((measured.code, methods), (None, all), "{}", worst.name);
        }
    }
}

#[test]
fn compilers_never_take_a_quarter_of_the_budget() {
    let applets = applets::ALL.iter().map(|applet| applet.class.to_vec());
    let compiled = [
        "javac-17-g",
        "javac-8-g",
        "javac-11-g",
        "ecj-1.1",
        "ecj-1.4",
        "ecj-17",
    ];
    let compiled = compiled.map(|directory| committed::files(&format!("compilers/{directory}")));
    let compiled = compiled.into_iter().flat_map(|files| files.into_values());
    let classes = committed::files("class").into_values();
    let mut methods = 0;
    for bytes in applets.chain(compiled).chain(classes) {
        let measured = judged(&bytes);
        assert_eq!(measured.code, None);
        for (steps, limit) in &measured.steps.methods {
            assert!(steps * 4 < *limit, "{steps} of {limit}");
            methods += 1;
        }
    }
    assert!(methods > 500, "{methods}");
}
