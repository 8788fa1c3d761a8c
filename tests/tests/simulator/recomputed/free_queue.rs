//! The free queue gives buffers in the same order as a `VecDeque` that is updated from the events of the run.

use std::collections::VecDeque;

use jive_core::TrapKind;
use nic_core::event::{
    DropReason, Event, EventKind, Made, Names, NativeArg, NicEvent, RxBody, Sink, SleEvent,
    UnetEvent,
};
use tests::random::Random;
use tests::simulation::run;

use super::applet::{Action, Actions};
use crate::runs::runs;

/// Length of each free buffer in bytes.
const SHARE: u32 = 64;

/// The expected state of the free queue.
struct Model<'a> {
    applet: &'a Actions,
    free: VecDeque<i32>,
    /// The remaining actions of the running call, and the values of the call's local variables.
    left: Vec<Action>,
    variables: Vec<i32>,
    /// Buffers that the call popped and that no descriptor names yet.
    popped: Vec<i32>,
    /// Buffers of receive descriptors that are not visible yet, or that the host has not read.
    described: VecDeque<Vec<i32>>,
    visible: VecDeque<Vec<i32>>,
    receive: u32,
    /// Whether a descriptor found the receive queue full, so that a `drop` event must follow.
    is_refused: bool,
    counts: Counts,
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    popped: u32,
    empty: u32,
    refused: u32,
    put_back: u32,
    returned_by_traps: u32,
}

impl Model<'_> {
    fn new(applet: &Actions, buffers: i32) -> Model<'_> {
        Model {
            applet,
            free: (0..buffers)
                .map(|buffer| buffer * SHARE.cast_signed())
                .collect(),
            left: Vec::new(),
            variables: Vec::new(),
            popped: Vec::new(),
            described: VecDeque::new(),
            visible: VecDeque::new(),
            receive: 0,
            is_refused: false,
            counts: Counts::default(),
        }
    }

    /// Puts buffers at the front of the free queue, in their order.
    fn put_first(&mut self, buffers: &[i32]) {
        for buffer in buffers.iter().rev() {
            self.free.push_front(*buffer);
        }
    }

    fn native(&mut self, name: &str, result: Option<NativeArg>, made: Made) {
        match (self.left.remove(0), name) {
            (Action::Pop(variable), "getFreeBuffer") => {
                let buffer = self.free.pop_front().unwrap_or(-1);
                assert_eq!(result, Some(NativeArg::Int(buffer)), "{:?}", self.free);
                self.variables[variable] = buffer;
                if buffer >= 0 {
                    self.popped.push(buffer);
                    self.counts.popped += 1;
                } else {
                    self.counts.empty += 1;
                }
            }
            (Action::Describe { variables, .. }, "dmaRxd") => {
                let named: Vec<i32> = variables
                    .iter()
                    .map(|&place| self.variables[place])
                    .collect();
                self.popped.retain(|buffer| !named.contains(buffer));
                if made == Made::Descriptor {
                    self.described.push_back(named);
                } else {
                    self.counts.refused += u32::from(named.len() > 1);
                    self.put_first(&named);
                    self.is_refused = true;
                }
            }
            (action, _) => panic!("{name} in place of {action:?}"),
        }
    }
}

impl Sink for Model<'_> {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        // Skip events of the NIC itself, which do not belong to an applet.
        let Some(id) = event.endpoint else { return };
        if names.endpoint(id) != "server" {
            return;
        }
        match event.kind {
            EventKind::Sle(SleEvent::AppletCall { method, .. }) => {
                self.left = self.applet.of(names.method(id, method)).to_vec();
                self.variables = vec![-1; 21];
            }
            EventKind::Sle(SleEvent::Native {
                name, result, made, ..
            }) if !self.left.is_empty() => self.native(name, result, made),
            EventKind::Sle(SleEvent::AppletReturn { .. }) => {
                assert!(self.left.is_empty(), "{:?}", self.left);
                // After a call that returned, popped buffers that no descriptor names stay with the applet.
                self.popped.clear();
            }
            EventKind::Sle(SleEvent::Trap { kind, .. }) => {
                let expected = match &self.left[0] {
                    Action::Trap => TrapKind::ArithmeticException,
                    Action::Describe { .. } => TrapKind::ProtectionFault,
                    action => panic!("{kind:?} in place of {action:?}"),
                };
                assert_eq!(kind, expected);
                let popped = std::mem::take(&mut self.popped);
                self.counts.returned_by_traps += u32::from(!popped.is_empty());
                self.put_first(&popped);
            }
            EventKind::Nic(NicEvent::Drop {
                reason: DropReason::RxQueueFull,
                ..
            }) => assert!(std::mem::take(&mut self.is_refused), "nothing was refused"),
            EventKind::Unet(UnetEvent::RxDescriptor { body, .. }) => {
                let named = self.described.pop_front().expect("it was pushed");
                let RxBody::Buffers { offsets, .. } = body else {
                    panic!("the applet names buffers");
                };
                let shown = offsets.iter().map(|offset| offset.cast_signed());
                assert!(shown.eq(named.iter().copied()), "{offsets:?}, {named:?}");
                self.visible.push_back(named);
            }
            EventKind::Nic(NicEvent::Levels(levels)) => {
                // The host has read a message, and returns the message's buffers to the free queue.
                for _ in levels.receive..self.receive {
                    let named = self.visible.pop_front().expect("it was visible");
                    self.counts.put_back += 1;
                    self.free.extend(named);
                }
                self.receive = levels.receive;
                assert_eq!(levels.free as usize, self.free.len(), "{:?}", self.free);
            }
            _ => {}
        }
    }
}

/// Returns random actions for `doRx`: pops, then descriptors with the popped buffers in any order and more than once,
/// and sometimes a trap.
fn actions(random: &mut Random) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut variable = 0;
    for _ in 0..1 + random.below(3) {
        let count = random.index(5);
        let mut variables: Vec<usize> = (variable..variable + count).collect();
        variable += count;
        actions.extend(variables.iter().map(|&variable| Action::Pop(variable)));
        if random.below(6) == 0 {
            actions.push(Action::Trap);
        }
        for place in (1..count).rev() {
            variables.swap(place, random.index(place + 1));
        }
        variables.truncate(count - usize::from(count > 1 && random.below(4) == 0));
        if !variables.is_empty() {
            actions.push(Action::Describe {
                variables,
                share: SHARE,
            });
        }
    }
    actions
}

#[test]
fn buffers_come_and_go_in_the_order_of_the_contract() {
    let mut random = Random::new(0xf4ee);
    let mut counts = Counts::default();
    for round in 0..runs(80) {
        let applet = Actions {
            do_rx: actions(&mut random),
            ..Actions::default()
        };
        let buffers = 3 + random.below(30);
        let rx_queue = 1 + random.below(3);
        let poll = random.pick(&["5us", "300us"]);
        let text = format!(
            "until = '30ms'\n[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
             [[endpoint]]\nnic = 'a'\nname = 'client'\n\
             [[endpoint]]\nnic = 'b'\nname = 'server'\napplet = 'builtin:Drop'\n\
             rx_queue = {rx_queue}\npoll_every = '{poll}'\n\
             free_buffers = {{ count = {buffers}, length = {SHARE} }}\n\
             [[channel]]\nclient = 1\nserver = 1\n\
             [[send]]\nendpoint = 'client'\nchannel = 1\npayload = {{ count = 20 }}\n\
             repeat = 40\nevery = '90us'\n"
        );
        let scenario = Actions::scenario(&text, std::slice::from_ref(&applet));
        let buffers = i32::try_from(buffers).expect("few");
        let mut model = Model::new(&applet, buffers);
        println!("round {round}: {applet:?}");
        run(&scenario, &mut model);
        counts.popped += model.counts.popped;
        counts.empty += model.counts.empty;
        counts.refused += model.counts.refused;
        counts.put_back += model.counts.put_back;
        counts.returned_by_traps += model.counts.returned_by_traps;
    }
    let least = [
        counts.popped,
        counts.empty,
        counts.refused,
        counts.put_back,
        counts.returned_by_traps,
    ];
    assert!(least.iter().all(|count| *count > 50), "{counts:?}");
}
