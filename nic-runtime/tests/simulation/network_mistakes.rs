//! What the messages about networks name: the cause, at its place in the file, and not what follows from it.

use nic_runtime::scenario::{Mistake, MistakeKind, ScenarioError, Settable, parse};

/// Two NICs at a switch each, with a channel between them.
const TWO: &str = "[[channel]]\none = 1\ntwo = 1\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
     [[endpoint]]\nnic = 'a'\nname = 'one'\n[[endpoint]]\nnic = 'b'\nname = 'two'\n";

fn mistakes(text: &str) -> Vec<Mistake> {
    match parse(text.as_bytes(), None, None) {
        Ok(_) => panic!("expected a mistake\n{text}"),
        Err(ScenarioError::Mistakes(mistakes)) => mistakes,
        Err(other) => panic!("{other:?}"),
    }
}

/// Returns the only message, with the text from its place on.
fn message(text: &str) -> (String, &str) {
    let mistakes = mistakes(text);
    let [Mistake { span, kind }] = &mistakes[..] else {
        panic!("{mistakes:?}\n{text}");
    };
    (kind.to_string(), &text[span.start..])
}

fn switch(name: &str, rest: &str) -> String {
    format!("[[switch]]\nname = '{name}'\nports = 4\n{rest}\n")
}

fn link(a: &str, b: &str) -> String {
    format!("[[link]]\nbetween = ['{a}', '{b}']\n")
}

#[test]
fn what_becomes_of_a_full_buffer_needs_a_buffer() {
    for mode in ["store-and-forward", "cut-through", "crossbar"] {
        for full in ["drop", "stop"] {
            let keys = format!("mode = '{mode}'\nfull = '{full}'");
            let network = TWO.to_owned() + &link("a", "s") + &link("b", "s");
            let found = mistakes(&(network.clone() + &switch("s", &keys)));
            let [
                Mistake {
                    kind: MistakeKind::NeedsPartner { partner, .. },
                    ..
                },
            ] = &found[..]
            else {
                panic!("{mode}: {found:?}");
            };
            assert_eq!(*partner, "buffer");
            let with = network + &switch("s", &(keys + "\nbuffer = '64KiB'"));
            assert!(parse(with.as_bytes(), None, None).is_ok(), "{mode}");
        }
    }
}

#[test]
fn two_switches_at_one_place_of_a_mesh_are_named() {
    let text = "route = 'dimension-order'\n".to_owned()
        + TWO
        + &switch("s", "at = [0, 1]")
        + &switch("t", "at = [0, 1]")
        + &link("a", "s")
        + &link("s", "t")
        + &link("t", "b");
    let (message, place) = message(&text);
    assert_eq!(
        message,
        "expected a place in the mesh where no other switch is, found that of `s`"
    );
    assert!(place.starts_with("[[switch]]\nname = 't'"), "{place}");
}

#[test]
fn a_link_with_a_mistake_is_not_missing() {
    // The channel comes first in the file, and would be the first mistake.
    let text = TWO.to_owned() + &switch("s", "") + &link("a", "s") + &link("b", "r");
    assert!(matches!(
        mistakes(&text)[..],
        [Mistake {
            kind: MistakeKind::UnknownName { .. },
            ..
        }]
    ));
}

#[test]
fn what_no_link_joins_is_named_with_its_cause() {
    let text = TWO.to_owned() + &switch("s", "") + &link("a", "s");
    let (said, place) = message(&text);
    assert_eq!(
        said,
        "expected NICs that links join, but `b` has no link: nothing reaches it from `a`; add a `[[link]]` with it"
    );
    assert!(place.starts_with("[[channel]]\none = 1"), "{place}");
    let text =
        TWO.to_owned() + &switch("s", "") + &switch("t", "") + &link("a", "s") + &link("b", "t");
    let (said, _) = message(&text);
    assert_eq!(
        said,
        "expected NICs that links join, but no links lead from `a` to `b`: what links and switches join with `a` ends at \
         `s`; add a `[[link]]`"
    );
    let other = "[[nic]]\nname = 'c'\nprofile = 'modern'\n[[endpoint]]\nnic = 'c'\nname = 'three'\n\
                 [[channel]]\none = 2\nthree = 1\n";
    let text = TWO.to_owned() + other;
    let (said, _) = message(&text);
    assert_eq!(
        said,
        "expected NICs that links join, but `a` and `c` have different profiles and so no link by default: add a `[[link]]`"
    );
}

#[test]
fn the_size_of_a_topology_says_what_it_may_be() {
    for size in ["-1", "0", "1000000"] {
        let text = format!("{TWO}[topology]\nkind = 'ring'\nsize = {size}\n");
        let (message, place) = message(&text);
        assert_eq!(message, "expected 1 to 4096 for size");
        assert!(place.starts_with(size), "{place}");
    }
}

#[test]
fn a_route_that_is_none_says_what_it_may_be() {
    let text = format!(
        "route = 5\n{TWO}{}{}{}",
        switch("s", ""),
        link("a", "s"),
        link("b", "s")
    );
    let (message, place) = message(&text);
    assert_eq!(
        message,
        "expected the name of a way to find routes or a list of routes, found an integer"
    );
    assert!(place.starts_with("5\n"), "{place}");
}

#[test]
fn members_of_a_range_are_set_together() {
    let text = "[topology]\nkind = 'star'\n[[nic]]\nname = 'n{0..63}'\n[[nic]]\nname = 'x'\n\
                [[endpoint]]\nnic = 'n{0..63}'\nname = 'e{0..63}'\n";
    let set = |place: &str| {
        let mut settable = Settable::new(text.as_bytes()).expect("it is TOML");
        settable.set(place, "1").map_err(|error| error.to_string())
    };
    assert_eq!(
        set("nic.n3.sram"),
        Err("`n3` is one of `nic.'n{0..63}'`, which are set together; to set it alone, write the scenario out first with \
             `jive run --expand`"
            .to_owned())
    );
    assert_eq!(set("nic.x.sram"), Ok(()));
    assert_eq!(set("nic.'n{0..63}'.sram"), Ok(()));
    assert_eq!(
        set("nic.n64.sram"),
        Err(
            "expected the name or the number, from 0, of one of 2 entries of `nic`, found `n64`"
                .to_owned()
        )
    );
    for place in ["switch.0.latency", "switch.s.latency"] {
        assert_eq!(
            set(place),
            Err("the entries of `switch` are those of `[topology]`, which are set together by `topology.switch`; to set \
                 one alone, write the scenario out first with `jive run --expand`"
                .to_owned())
        );
    }
    assert_eq!(set("topology.switch.latency"), Ok(()));
}
