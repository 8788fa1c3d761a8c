//! Class files that are slow to verify stay within the verifier's budget, and class files of compilers stay far below
//! it.

use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::openjdk::committed;
use tests::worst::{Measured, measure};
use traffic::worst::family;

fn judged(bytes: &[u8]) -> Measured {
    measure(bytes, Policy::ClassOnly, NicNative::TABLE)
}

#[test]
fn the_worst_case_family_keeps_to_its_budgets() {
    for worst in family() {
        let measured = judged(&worst.bytes);
        // The class files of the family have no fault except that they need much work.
        let expected = [None, Some("limit/verify-steps"), Some("limit/constants")];
        assert!(
            expected.contains(&measured.code),
            "{}: {measured:?}",
            worst.name
        );
        for (steps, limit) in &measured.steps.methods {
            assert!(steps <= limit, "{}: {steps} of {limit}", worst.name);
        }
        // The class files `long-methods` and `methods` are just within the budget, so that every method is verified.
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
fn compiled_classes_take_under_a_quarter_of_the_budget() {
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

mod analysed {
    use std::path::Path;

    use jive_core::ClassFile;
    use jive_embed::analysis::{Entry, Environment, ForeignFields};
    use jive_embed::lint::Warnings;
    use jive_lab::Random;
    use tests::worst::{analyse, bound, bound_steps_max, steps_max};
    use traffic::worst::{explored_family, searched};

    use super::*;
    use crate::runs::runs;

    /// Number of random classes to analyse; `JIVE_RUNS` asks for more.
    const SEARCHED: u64 = 40;

    #[test]
    fn the_analysis_keeps_to_its_steps() {
        let mut analysed = 0;
        for worst in family().into_iter().chain(explored_family()) {
            let Some(found) = analyse(&worst.bytes) else {
                continue;
            };
            let (steps, most) = (found.steps, steps_max(worst.bytes.len()));
            assert!(steps <= most, "{}: {steps} of {most}", worst.name);
            let (steps, _) = bound(&worst.bytes).expect("it is accepted");
            let most = bound_steps_max(worst.bytes.len());
            assert!(
                steps <= most,
                "{}: {steps} of {most} for bounds",
                worst.name
            );
            // The report must not be out of proportion to the class either, so it lists a limited number of loops.
            let listed = found.report.entry_points.iter();
            let listed: usize = listed.map(|entry| entry.uncounted_loops.len()).sum();
            assert!(listed <= 64 * 32, "{}: {listed} loops listed", worst.name);
            analysed += 1;
        }
        // All class files of the analysis's own family are accepted.
        assert!(analysed >= explored_family().len(), "{analysed}");
    }

    #[test]
    fn no_random_class_takes_more_steps() {
        for seed in 0..runs(SEARCHED) {
            let mut random = Random::new(&seed.to_be_bytes());
            // Generate short classes too, in which constant costs show.
            let length = [500, 4_000, 20_000, 60_000][random.below(4)];
            let bytes = searched(&mut random, length);
            let code = judged(&bytes).code;
            assert!(
                [None, Some("limit/verify-steps")].contains(&code),
                "seed {seed}: {code:?}"
            );
            if let Some(found) = analyse(&bytes) {
                let (steps, most) = (found.steps, steps_max(bytes.len()));
                assert!(steps <= most, "seed {seed}: {steps} of {most}");
                let (steps, _) = bound(&bytes).expect("it is accepted");
                let most = bound_steps_max(bytes.len());
                assert!(steps <= most, "seed {seed}: {steps} of {most} for bounds");
            }
        }
    }

    /// Classes that ask the search for bounds many questions: their fields, the code at the start of each method, and
    /// the code that is repeated, in which `@` stands for a number of its own.
    const REPEATED: [(&str, &str, &str, &str); 7] = [
        (
            "stores into one family of arrays, and a loop for each that reads it",
            ".field static F [I\n",
            "",
            "getstatic F:[I\niconst_0\nsipush 7\niastore\niconst_0\nistore_0\nA@:\niload_0\n\
             getstatic F:[I\niconst_0\niaload\nif_icmpge B@\niinc 0 1\ngoto A@\nB@:\n",
        ),
        (
            "loops to a field, each with a store to it",
            ".field static f I\n",
            "",
            "iconst_5\nputstatic f:I\niconst_0\nistore_0\nA@:\niload_0\ngetstatic f:I\n\
             if_icmpge B@\niinc 0 1\ngoto A@\nB@:\n",
        ),
        (
            "arrays of a length from far away",
            "",
            "iconst_3\nistore_0\n",
            "iload_0\nnewarray int\nastore_1\naload_1\niconst_0\niload_0\niastore\n",
        ),
        (
            "a chain of copies",
            "",
            "iconst_3\nistore_0\n",
            "iload_0\nistore_1\niload_1\nistore_0\niload_0\nnewarray byte\npop\n",
        ),
        (
            "one long basic block",
            "",
            "iconst_0\nistore_0\n",
            "iload_0\niconst_1\niadd\nistore_0\n",
        ),
        (
            "counted loops with one counter",
            "",
            "",
            "iconst_0\nistore_0\nA@:\niload_0\nbipush 10\nif_icmpge B@\niinc 0 1\ngoto A@\nB@:\n",
        ),
        (
            "loops without a counter",
            "",
            "",
            "A@:\niconst_0\nifne A@\n",
        ),
    ];

    /// Assembles a class in which `doTx` calls `methods` methods of 200 copies of a code each.
    fn repeated((fields, first, code): (&str, &str, &str), methods: usize) -> Vec<u8> {
        let mut text = format!(".class public super Worst\n.version 49.0\n{fields}");
        let mut number = 0;
        for method in 0..methods {
            text += &format!(".method static m{method}()V stack 3 locals 2\n{first}");
            for _ in 0..200 {
                text += &code.replace('@', &number.to_string());
                number += 1;
            }
            text += "return\n";
        }
        text += ".method static doRx(II)I stack 1 locals 2\niconst_0\nireturn\n\
                 .method static doTx(III)I stack 1 locals 3\n";
        for method in 0..methods {
            text += &format!("invokestatic m{method}()V\n");
        }
        text += "iconst_0\nireturn\n";
        let assembled = jive_lab::asm::assemble("worst.jasm", &text);
        assembled.expect("the text is right").bytes
    }

    #[test]
    fn search_for_bounds_is_linear() {
        for (name, fields, first, code) in REPEATED {
            let steps = [6, 48].map(|methods| {
                let bytes = repeated((fields, first, code), methods);
                let (steps, _) = bound(&bytes).expect("it is accepted");
                let most = bound_steps_max(bytes.len());
                assert!(steps <= most, "{name}: {steps} of {most}");
                steps
            });
            // The fixed part of the budget may be spent by the short class alone.
            let most = 8 * steps[0] * 5 / 4;
            assert!(steps[1] <= most, "{name}: {steps:?} for 6 and 48 methods");
        }
    }

    /// A bound lists 32 loops, and each method has 200.
    #[test]
    fn lint_is_silent_about_bounded_loops_however_many() {
        let warnings = |code: &str| {
            let bytes = repeated((".field static F [I\n", "", code), 3);
            let mut index = vec![0; ClassFile::index_len(&bytes)];
            let class = ClassFile::parse(&bytes, &mut index).expect("it is a class file");
            let entry = |name: &str, descriptor: &str, parameters: usize| Entry {
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                parameters: vec![0..=1_500; parameters],
                time_ps: 0,
            };
            let environment = Environment {
                entries: Some(vec![entry("doTx", "(III)I", 3), entry("doRx", "(II)I", 2)]),
                natives: Vec::new(),
                array_length_max: 65_536,
                packet: None,
                bytecode_ps: 1,
                foreign: ForeignFields::None,
                heap_bytes: None,
                keeps_arrays: true,
            };
            Warnings::of(Path::new("worst.class"), &class, &environment).render()
        };
        // No element is ever stored, so all are 0.
        let bounded = "iconst_0\nistore_0\nA@:\niload_0\ngetstatic F:[I\niconst_0\niaload\n\
                       if_icmpge B@\niinc 0 1\ngoto A@\nB@:\n";
        assert!(warnings(bounded).is_empty());
        let unbounded = "A@:\niconst_0\nifne A@\n";
        assert!(warnings(unbounded).contains("lint/unbounded-loop"));
    }

    #[test]
    fn loops_beyond_the_budget_are_reported() {
        let family = explored_family();
        let entry = |name| {
            let worst = family.iter().find(|worst| worst.name == name);
            let worst = worst.expect("it is in the family");
            let found = analyse(&worst.bytes).expect("it is accepted");
            found.report.entry_points[0].clone()
        };
        // `nested-loops` has 6,400 nested loops, which are analysed twice; deeper levels are not analysed.
        let nested = entry("nested-loops");
        assert!(nested.loops_incomplete, "{nested:?}");
        assert!((2..12_800).contains(&nested.loops), "{}", nested.loops);
        // The analysis finds all consecutive loops of four bytes in `shared-loops`, and lists 32 of them.
        let shared = entry("shared-loops");
        assert!(!shared.loops_incomplete && shared.loops > 10_000);
        assert_eq!(shared.uncounted_loops.len(), 32);
        assert_eq!(shared.uncounted_loops_omitted, shared.loops - 32);
    }
}
