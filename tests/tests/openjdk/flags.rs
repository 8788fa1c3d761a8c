//! JIVE and OpenJDK agree on which access flags are allowed together.
//!
//! The test sets pairs of flags, in each place with flags, in the versions between which a rule changes.

use std::collections::BTreeSet;

use jive_lab::asm::assemble;
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use tests::fixture::Outcome;
use tests::machine::judge;
use tests::openjdk::jdk;
use tests::skipped::skip;

/// For each change of a rule, the last version before it and the first version with it, as far as OpenJDK 17 reads.
const VERSIONS: [u16; 9] = [45, 48, 49, 50, 51, 52, 53, 60, 61];

/// Sets of flags in which the test makes up to two changes.
const BASES: [u16; 4] = [0, 0x0019, 0x0401, 0x0600];

/// `native` and `abstract`: a method with one of these flags has no code.
const BODILESS: u16 = 0x0500;

/// A class with flags to test, which its source writes as `FLAGS`.
struct Place {
    about: &'static str,
    source: &'static str,
    /// The variant of the source for flags that require a method without code.
    bodiless: Option<&'static str>,
}

const PLACES: [Place; 8] = [
    Place {
        about: "class",
        source: ".omit all\n.set access_flags FLAGS\n",
        bodiless: None,
    },
    Place {
        about: "field",
        source: ".omit all\n.field f I\n.set access_flags FLAGS\n",
        bodiless: None,
    },
    Place {
        about: "interface's field",
        source: ".class abstract interface Fixture\n.omit all\n.field f I\n.set access_flags FLAGS\n",
        bodiless: None,
    },
    Place {
        about: "method",
        source: ".omit all\n.method m()V stack 0 locals 1\n.set access_flags FLAGS\nreturn\n",
        bodiless: Some(".omit all\n.method m()V\n.set access_flags FLAGS\n"),
    },
    Place {
        about: "constructor",
        source: ".omit all\n.method <init>()V stack 1 locals 1\n.set access_flags FLAGS\naload_0\n\
                 invokespecial java/lang/Object.<init>()V\nreturn\n",
        bodiless: Some(".omit all\n.method <init>()V\n.set access_flags FLAGS\n"),
    },
    Place {
        about: "class initializer",
        source: ".omit all\n.method <clinit>()V stack 0 locals 1\n.set access_flags FLAGS\nreturn\n",
        bodiless: None,
    },
    Place {
        about: "interface's method",
        source: ".class abstract interface Fixture\n.omit all\n.method m()V stack 0 locals 1\n\
                 .set access_flags FLAGS\nreturn\n",
        bodiless: Some(
            ".class abstract interface Fixture\n.omit all\n.method m()V\n\
                   .set access_flags FLAGS\n",
        ),
    },
    Place {
        about: "interface's constructor",
        source: ".class abstract interface Fixture\n.omit all\n\
                 .method <init>()V stack 1 locals 1\n.set access_flags FLAGS\naload_0\n\
                 invokespecial java/lang/Object.<init>()V\nreturn\n",
        bodiless: Some(
            ".class abstract interface Fixture\n.omit all\n.method <init>()V\n\
                   .set access_flags FLAGS\n",
        ),
    },
];

/// Returns each base with up to two flags changed. The flag for modules is excluded, because OpenJDK loads modules
/// differently.
fn some_flags() -> BTreeSet<u16> {
    let bits = || (0..15).map(|bit| 1_u16 << bit);
    BASES
        .into_iter()
        .flat_map(|base| bits().flat_map(move |a| bits().map(move |b| base ^ (a | b))))
        .chain(BASES)
        .collect()
}

/// A class file, and the offset of its flags.
struct Template {
    bytes: Vec<u8>,
    at: usize,
}

impl Template {
    fn of(source: &str, version: u16) -> Template {
        let with = |flags: u16| {
            let source = format!(".version {version}.0\n{source}");
            let source = source.replace("FLAGS", &flags.to_string());
            let class = assemble("flags", &source).unwrap_or_else(|error| panic!("{error}"));
            class.bytes
        };
        let (bytes, full) = (with(0), with(0xffff));
        let at = (0..bytes.len()).find(|at| bytes[*at] != full[*at]);
        Template {
            bytes,
            at: at.expect("the flags stand somewhere"),
        }
    }

    fn with(&self, flags: u16) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[self.at..self.at + 2].copy_from_slice(&flags.to_be_bytes());
        bytes
    }
}

#[test]
fn flags_clash_where_they_clash_for_openjdk() {
    if !jdk::is_java_installed() {
        skip("comparison of flags with OpenJDK", jdk::NONE);
        return;
    }
    let mut judged = Vec::new();
    for place in &PLACES {
        for version in VERSIONS {
            let plain = Template::of(place.source, version);
            let bodiless = place.bodiless.map(|source| Template::of(source, version));
            for flags in some_flags() {
                let without = bodiless.as_ref().filter(|_| flags & BODILESS != 0);
                let template = without.unwrap_or(&plain);
                judged.push((place.about, version, flags, template.with(flags)));
            }
        }
    }
    let theirs = jdk::verdicts(judged.iter().map(|(.., bytes)| bytes.as_slice()));
    let mut clashes = 0_u32;
    for ((about, version, flags, bytes), theirs) in judged.iter().zip(&theirs) {
        let ours = judge(bytes, Policy::ClassOnly, NicNative::TABLE);
        let clash = matches!(&ours, Outcome::Rejected { code, .. } if code.ends_with("-flags"));
        assert_eq!(
            clash,
            theirs != "ok",
            "{about}, version {version}, flags {flags:#06x}: here {ours}, OpenJDK {theirs}"
        );
        clashes += u32::from(clash);
    }
    jdk::announce(&format!(
        "flags: judged {}, of which {clashes} clash",
        judged.len()
    ));
    assert!(clashes > 1_000 && judged.len() > 10_000);
}
