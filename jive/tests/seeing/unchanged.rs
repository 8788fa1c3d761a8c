//! An output never changes a run.

use nic_core::event::{Event, EventKind, Names, RxBody, Sink, UnetEvent};
use nic_runtime::Run;
use nic_runtime::export::pcapng::Capture;
use nic_runtime::export::perfetto::PerfettoTrace;
use nic_runtime::scenario::BUILTIN;
use nic_runtime::spec::Scenario;

use crate::process::{Ended, jive};
use crate::scenarios;

/// Records every event with all fields, including events that no trace shows.
#[derive(Default)]
struct Recorder(Vec<String>);

impl Sink for Recorder {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let mut event = *event;
        if let EventKind::Unet(UnetEvent::RxDescriptor {
            body: RxBody::Buffers { area, .. },
            ..
        }) = &mut event.kind
        {
            // Leave out the whole buffer area, which is large; its bytes are compared as messages.
            *area = &[];
        }
        self.0.push(format!("{event:?}"));
    }
}

struct Crowd {
    first: PerfettoTrace<Vec<u8>>,
    recorder: Recorder,
    last: Capture<Vec<u8>>,
}

impl Sink for Crowd {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.first.event(names, event);
        self.recorder.event(names, event);
        self.last.event(names, event);
    }
}

fn alone(scenario: &Scenario) -> Vec<String> {
    let mut recorder = Recorder::default();
    Run::new(scenario)
        .sink(&mut recorder)
        .execute()
        .expect("the scenario can be run");
    recorder.0
}

fn in_a_crowd(scenario: &Scenario) -> Vec<String> {
    let mut crowd = Crowd {
        first: PerfettoTrace::new(Vec::new()),
        recorder: Recorder::default(),
        last: Capture::new(Vec::new(), scenario).expect("memory takes it"),
    };
    Run::new(scenario)
        .sink(&mut crowd)
        .execute()
        .expect("the scenario can be run");
    crowd.recorder.0
}

#[test]
fn the_events_are_the_same_whoever_listens() {
    for (name, scenario) in scenarios() {
        let alone = alone(&scenario);
        assert!(!alone.is_empty());
        assert!(alone == in_a_crowd(&scenario), "{name}");
    }
}

#[test]
fn written_files_do_not_change_the_output() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str| directory.path().join(name).display().to_string();
    let (timeline, capture) = (file("t.json"), file("t.pcapng"));
    for builtin in BUILTIN {
        for trace in ["text", "json", "none"] {
            let plain = ["run", builtin.name, "--payload", "--trace", trace];
            let files = ["--perfetto", &timeline, "--pcap", &capture];
            let ended = jive(plain);
            assert_eq!(ended.status, 0, "{}", ended.err);
            assert_eq!(
                jive([&plain[..], &files].concat()),
                ended,
                "{}",
                builtin.name
            );
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    for option in ["--perfetto", "--pcap"] {
        let Ended { status, out, err } = jive(["run", option, "no/such/place"]);
        assert_eq!((status, out.as_str()), (2, ""), "{option}");
        assert!(
            err.starts_with("error: cannot write no/such/place: "),
            "{err}"
        );
    }
}
