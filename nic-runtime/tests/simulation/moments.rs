//! The moments of a run, through which a person steps: events and instructions in their order, with the values there.

use jive_core::{ClassFile, Pc};
use nic_core::event::fields::PayloadMode;
use nic_core::event::line::Line;
use nic_core::event::roles::Shown;
use nic_core::event::{Event, Executed, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::time::SimTime;
use nic_runtime::Run;
use nic_runtime::export::moments::{Moment, Wanted, find};
use nic_runtime::scenario;
use nic_runtime::spec::Scenario;

/// A moment as this file sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Event(SimTime, String),
    Instruction(EndpointId, Pc),
}

/// A sink that keeps everything in its order.
#[derive(Default)]
struct Witness(Vec<Seen>);

impl Sink for Witness {
    fn wants(&self, shown: Shown) -> bool {
        matches!(shown, Shown::Always | Shown::InDetail)
    }

    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        if matches!(event.kind.roles().shown, Shown::Always | Shown::InDetail) {
            let line = Line::new(names, event, PayloadMode::Omitted);
            self.0.push(Seen::Event(event.time, line.to_string()));
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, _names: &dyn Names, executed: &Executed<'_>) {
        let instructions = executed.instructions.iter();
        self.0
            .extend(instructions.map(|pc| Seen::Instruction(executed.endpoint, *pc)));
    }
}

/// A shipped scenario, what it does, and its moments.
struct Stepped {
    scenario: Scenario,
    seen: Vec<Seen>,
}

impl Stepped {
    fn new(name: &str) -> Stepped {
        let builtin = scenario::BUILTIN.iter().find(|of| of.name == name);
        let text = builtin.expect("it is shipped").text;
        let scenario = scenario::parse(text.as_bytes(), None, None).expect("it can be read");
        let mut witness = Witness::default();
        let run = Run::new(&scenario).sink(&mut witness).execute();
        run.expect("it runs");
        Stepped {
            scenario,
            seen: witness.0,
        }
    }

    fn find(&self, wanted: &Wanted) -> Option<Moment> {
        let indices = self.scenario.classes.iter();
        let mut indices: Vec<_> = indices
            .map(|class| vec![0; ClassFile::index_len(&class.bytes)])
            .collect();
        let classes: Vec<_> = (self.scenario.classes.iter().zip(&mut indices))
            .map(|(class, index)| ClassFile::parse(&class.bytes, index).ok())
            .collect();
        find(&classes, wanted, |sink| {
            Run::new(&self.scenario).sink(sink).execute().map(drop)
        })
        .expect("it runs")
    }

    /// The number of the first moment behind another one that is of a kind, if there is one.
    fn after(&self, number: usize, is_event: bool) -> Option<u64> {
        let mut numbers = number + 1..=self.seen.len();
        let found =
            numbers.find(|number| matches!(self.seen[number - 1], Seen::Event(..)) == is_event);
        found.map(|number| number as u64)
    }

    /// The number of the last moment before another one that is of a kind, if there is one.
    fn before(&self, number: usize, is_event: bool) -> Option<u64> {
        let mut numbers = (1..number.min(self.seen.len() + 1)).rev();
        let found =
            numbers.find(|number| matches!(self.seen[number - 1], Seen::Event(..)) == is_event);
        found.map(|number| number as u64)
    }

    /// Every so many moments, and the first and the last ones.
    fn sample(&self, apart: usize) -> impl Iterator<Item = usize> {
        let count = self.seen.len();
        (1..=count).filter(move |number| {
            number % apart == 0 || *number < 4 || *number > count.saturating_sub(3)
        })
    }
}

#[test]
fn moments_are_the_events_and_instructions_in_their_order() {
    let run = Stepped::new("firewall");
    assert!(run.seen.len() > 100, "{}", run.seen.len());
    for number in run.sample(17) {
        let moment = run.find(&Wanted::Number(number as u64)).expect("it occurs");
        assert_eq!(moment.number, number as u64);
        let before = run.seen[..number].iter();
        let events: Vec<_> = before
            .filter_map(|seen| match seen {
                Seen::Event(_, line) => Some(line),
                Seen::Instruction(..) => None,
            })
            .collect();
        assert_eq!(moment.events, events.len() as u64, "moment {number}");
        assert_eq!(events.last(), Some(&&moment.event), "moment {number}");
        match run.seen[number - 1] {
            Seen::Event(..) => assert!(moment.is_event, "moment {number}"),
            Seen::Instruction(_, pc) => {
                assert!(!moment.is_event, "moment {number}");
                let call = moment.call.expect("an instruction is of a call");
                assert_eq!(usize::from(call.frames[0].pc), pc.index());
            }
        }
    }
}

#[test]
fn steps_lead_to_the_next_moment_of_their_kind_and_back() {
    let run = Stepped::new("firewall");
    let count = run.seen.len();
    for number in (run.sample(61)).chain([0, count + 1, count + 100]) {
        let at = number as u64;
        for (wanted, expected) in [
            (Wanted::EventAfter(at), run.after(number, true)),
            (Wanted::InstructionAfter(at), run.after(number, false)),
            (Wanted::EventBefore(at), run.before(number, true)),
            (Wanted::InstructionBefore(at), run.before(number, false)),
            (
                Wanted::Number(at),
                Some(at).filter(|at| (1..=count as u64).contains(at)),
            ),
        ] {
            let found = run.find(&wanted).map(|moment| moment.number);
            assert_eq!(found, expected, "{wanted:?} of {count}");
        }
    }
    let last = run.find(&Wanted::Number(u64::MAX));
    assert_eq!(last, None);
}

#[test]
fn an_event_of_a_name_is_found_with_the_values_of_its_call() {
    let run = Stepped::new("firewall");
    let wanted = |name: &str, time| Wanted::Event {
        time,
        name: name.to_owned(),
        endpoint: "server".to_owned(),
    };
    let calls: Vec<_> = (run.seen.iter())
        .filter_map(|seen| match seen {
            Seen::Event(time, line) if line.contains("method=doRx args=[") => {
                Some((time.as_ps(), line))
            }
            _ => None,
        })
        .collect();
    assert!(calls.len() >= 5, "{calls:?}");
    for (time, line) in calls {
        let moment = run
            .find(&wanted("applet-call", time))
            .expect("it is in the trace");
        assert_eq!(&moment.event, line);
        let call = moment.call.expect("the call begins here");
        let [frame] = &call.frames[..] else {
            panic!("one frame: {call:?}")
        };
        assert_eq!((frame.method.as_str(), frame.pc), ("doRx", 0));
        let locals: Vec<_> = (frame.locals.iter())
            .filter(|local| ["length", "channel"].contains(&local.name.as_str()))
            .map(|local| local.value.as_str())
            .collect();
        assert!(
            line.contains(&format!("args=[{}]", locals.join(","))),
            "{line}: {locals:?}"
        );
        assert!(
            call.arrays
                .iter()
                .any(|array| array.held_by.contains(&"RxBuf".to_owned())),
            "{call:?}"
        );
    }
    assert_eq!(run.find(&wanted("applet-call", 1)), None);
    assert_eq!(run.find(&wanted("no-such-event", 0)), None);
}

#[test]
fn a_call_returns_the_value_that_lies_on_its_stack() {
    for name in ["firewall", "reduce"] {
        let run = Stepped::new(name);
        let mut returns = 0;
        for (at, seen) in run.seen.iter().enumerate() {
            let Seen::Event(_, line) = seen else { continue };
            let Some((_, rest)) = line.split_once("value=") else {
                continue;
            };
            if !line.contains("applet-return") || returns == 12 {
                continue;
            }
            let value = rest.split(' ').next().expect("a value").trim();
            let wanted = Wanted::InstructionBefore(at as u64 + 1);
            let last = run.find(&wanted).expect("the call has instructions");
            let call = last.call.expect("it is of a call");
            let frame = &call.frames[0];
            // Another endpoint's applet may have run in between.
            if frame.instruction != "ireturn" || call.frames.len() > 1 {
                continue;
            }
            returns += 1;
            let top = frame.stack.last().map(|top| top.value.as_str());
            assert_eq!(top, Some(value), "{name}: {line}");
        }
        assert!(returns >= 3, "{name}: {returns}");
    }
}
