//! Applets whose arrays are collected (`heap = "collected"`).

use std::collections::BTreeMap;

use nic_core::event::{Event, EventKind, HostEvent, Names, Sink};
use nic_core::id::EndpointId;
use nic_runtime::Run;
use nic_runtime::scenario::{self, ScenarioError};

use crate::scenario::read;
use crate::via::received;

/// Two endpoints with an applet, of which the first sends messages of these lengths, each often.
fn sends(applet: &str, heap: &str, (lengths, repeat): (&[u32], u32)) -> String {
    let endpoint = |nic: &str, name: &str, host: &str| {
        format!(
            "[[nic]]\nname = '{nic}'\n[[endpoint]]\nnic = '{nic}'\nname = '{name}'\napplet = '{applet}'\n\
             host = '{host}'\n{heap}\n"
        )
    };
    let mut text = format!(
        "until = '10s'\nmax_events = 10000000\n{}{}[[channel]]\nclient = 1\nserver = 2\n",
        endpoint("a", "client", "sink"),
        endpoint("b", "server", "sink"),
    );
    for length in lengths {
        text += &format!(
            "[[send]]\nendpoint = 'client'\nchannel = 1\nat = '1us'\nevery = '2ms'\nrepeat = {repeat}\n\
             payload = {{ random = {length} }}\n"
        );
    }
    text
}

#[derive(Debug, Default)]
struct Collections(u64);

impl Sink for Collections {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        if let EventKind::Host(HostEvent::Collection { duration, .. }) = event.kind {
            assert!(duration.as_ns() > 0, "a collection takes time");
            self.0 += 1;
        }
    }
}

const FRESH: &str = "../../../applets/experiments/Fresh.class";

const COLLECTED: &str = "heap = 'collected'";

#[test]
fn an_applet_delivers_the_same_from_a_collected_heap() {
    let messages: (&[u32], u32) = (&[8, 300, 5000], 300);
    let alone = received(&read(&sends(FRESH, "", messages)));
    let scenario = read(&sends(FRESH, COLLECTED, messages));
    let collected = received(&scenario);
    let lengths = |of: &BTreeMap<EndpointId, Vec<Vec<u8>>>| {
        let all = of.values().flatten();
        all.map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(lengths(&collected).len(), lengths(&alone).len());
    assert_eq!(lengths(&collected), lengths(&alone));
    assert!(collected == alone, "equal bytes");
    let mut collections = Collections::default();
    let end = Run::new(&scenario).sink(&mut collections).execute();
    assert!(end.is_ok() && collections.0 > 2, "{collections:?}");
}

#[test]
fn arrays_of_a_call_live_on_in_fields() {
    let expected =
        "[[expect]]\nendpoint = 'server'\nfield = 'good'\nvalue = 600\n[[expect]]\ntraps = 0\n";
    let text = sends("Keeper.class", COLLECTED, (&[20, 33], 300)) + expected;
    let outcome = Run::new(&read(&text)).judge().execute().expect("it runs");
    let judgement = outcome.judgement.expect("it is judged");
    assert_eq!(judgement.unmet, [], "{judgement:?}");
    // Without a collector the first packet ends in a trap.
    let text =
        sends("Keeper.class", "", (&[20], 1)) + "[[expect]]\ntraps = { TransientEscape = 1 }\n";
    let outcome = Run::new(&read(&text)).judge().execute().expect("it runs");
    assert_eq!(outcome.judgement.expect("it is judged").unmet, []);
}

#[test]
fn what_replaces_applets_does_not_go_with_a_collector() {
    let mistakes = |text: &str| match scenario::parse(text.as_bytes(), None, None) {
        Err(ScenarioError::Mistakes(mistakes)) => {
            let texts = mistakes.iter().map(|mistake| mistake.kind.to_string());
            texts.collect::<Vec<_>>().join("; ")
        }
        other => panic!("{other:?}"),
    };
    let good = sends("builtin:RawUnet", COLLECTED, (&[8], 1));
    let swap = "[[swap]]\nat = '1ms'\nendpoint = 'client'\napplet = 'builtin:Drop'\n";
    assert!(mistakes(&(good.clone() + swap)).contains("collected"));
    let said = mistakes(&good.replace(COLLECTED, "heap = 'collected'\naccept_capsules = true"));
    assert!(said.contains("collected"), "{said}");
    let said = mistakes(&good.replace("'collected'", "'colected'"));
    assert!(said.contains("expected `collected`"), "{said}");
}
