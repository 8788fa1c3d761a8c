//! Counts what applets execute: each instruction, each native, and the time that instructions and natives take.
//!
//! Times are those of the simulated run: an instruction takes the profile's time, a native takes the time from its call
//! to its return. The time of an applet's call beyond its instructions and natives is the cost of entering and leaving
//! the call.

use std::collections::BTreeMap;

use jive_core::{MethodId, Pc};
use nic_core::event::roles::{Shape, Shown, Step};
use nic_core::event::{Event, Executed, Names, Sink};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};

/// Maximum number of different chains of nested calls that are counted separately. Beyond the maximum number of chains,
/// a callee's counts are added to its caller. An applet that recurses at two call sites makes exponentially many
/// chains.
const CHAINS_MAX: usize = 1 << 16;

/// What an instruction took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// How often the instruction was executed.
    pub executions: u64,
    /// The time of all executions of the instruction, without natives.
    pub time: SimDuration,
    /// The natives that the instruction called.
    pub natives: Spent,
}

/// A count of calls or executions, and their total time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// How often.
    pub count: u64,
    /// The time of all.
    pub time: SimDuration,
}

impl Spent {
    fn add(&mut self, count: u64, time: SimDuration) {
        self.count = self.count.saturating_add(count);
        self.time += time;
    }
}

/// The calls and the time of a method, without its callees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodSpent {
    /// The name.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Time of entering and leaving the method, if the runtime calls it.
    pub entry: SimDuration,
    /// The executed instructions by pc. No instruction after the last entry of this list was executed.
    pub places: Vec<Place>,
    /// The natives by name.
    pub natives: BTreeMap<&'static str, Spent>,
}

/// The calls and the time of all methods of an applet's class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassSpent {
    /// The name of the class.
    pub name: String,
    /// The names of the endpoints that execute the class, in the order of their first instruction.
    pub endpoints: Vec<String>,
    /// The methods of the class that were called.
    pub methods: BTreeMap<MethodId, MethodSpent>,
}

/// A chain of nested calls, as a node of a tree.
#[derive(Clone, Debug)]
struct Chain {
    class: usize,
    method: MethodId,
    caller: Option<usize>,
    /// Number of instructions of the innermost method, and the time of these instructions and of the natives that the
    /// method called.
    spent: Spent,
}

/// A call of an applet's entry method that has begun and not ended.
#[derive(Clone, Debug, Default)]
struct Running {
    /// When the call began, or when the suspended call was last resumed.
    began: Option<SimTime>,
    /// The chains of the nested calls, outermost first. The list is empty until the first instruction of the call.
    nested: Vec<usize>,
    /// The last instruction that the call executed, and its time.
    last: Option<(usize, MethodId, Pc, SimDuration)>,
    /// The part of the call's time that was counted for instructions and natives.
    accounted: SimDuration,
    /// The call's running time up to its last suspension.
    before: SimDuration,
}

/// The counts of a run, collected by a sink of the run's events.
#[derive(Clone, Debug, Default)]
pub struct Executions {
    classes: BTreeMap<usize, ClassSpent>,
    chains: Vec<Chain>,
    known: BTreeMap<(Option<usize>, usize, MethodId), usize>,
    running: BTreeMap<EndpointId, Running>,
}

impl Executions {
    /// Returns the classes of which methods were executed, by their position among the classes of the run.
    #[must_use]
    pub fn classes(&self) -> &BTreeMap<usize, ClassSpent> {
        &self.classes
    }

    /// Visits the chains of nested calls of a class. The methods of a chain are listed outermost first. The count of
    /// instructions and the time are those of the chain's innermost method itself.
    pub fn chains(&self, class: usize) -> impl Iterator<Item = (Vec<MethodId>, Spent)> {
        let of_class = self.chains.iter().filter(move |chain| chain.class == class);
        of_class.map(|chain| {
            let mut methods = vec![chain.method];
            let mut at = chain.caller;
            while let Some(caller) = at {
                methods.push(self.chains[caller].method);
                at = self.chains[caller].caller;
            }
            methods.reverse();
            (methods, chain.spent)
        })
    }

    /// Returns the chain of a call, or the caller's chain if the number of chains has reached its maximum.
    fn chain(&mut self, caller: Option<usize>, class: usize, method: MethodId) -> usize {
        let key = (caller, class, method);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if let Some(caller) = caller.filter(|_| self.chains.len() >= CHAINS_MAX) {
            return caller;
        }
        let place = self.chains.len();
        self.chains.push(Chain {
            class,
            method,
            caller,
            spent: Spent::default(),
        });
        self.known.insert(key, place);
        place
    }

    fn method(&mut self, names: &dyn Names, executed: &Executed<'_>) -> &mut MethodSpent {
        let Executed {
            endpoint,
            class,
            method,
            ..
        } = *executed;
        let class = self.classes.entry(class).or_insert_with(|| ClassSpent {
            name: names.class(endpoint).unwrap_or("?").to_owned(),
            ..ClassSpent::default()
        });
        class.methods.entry(method).or_insert_with(|| MethodSpent {
            name: names.method(endpoint, method).to_owned(),
            ..MethodSpent::default()
        })
    }

    /// Ends or suspends the call of an endpoint.
    fn stop(&mut self, endpoint: EndpointId, time: SimTime, is_over: bool) {
        let Some(running) = self.running.get_mut(&endpoint) else {
            return;
        };
        let Some(began) = running.began.take() else {
            return;
        };
        running.before += time.since(began);
        if !is_over {
            return;
        }
        let rest = running.before.less(running.accounted);
        let outermost = running.nested.first().copied();
        *running = Running::default();
        let Some(chain) = outermost.and_then(|chain| self.chains.get_mut(chain)) else {
            return;
        };
        chain.spent.time += rest;
        let class = self.classes.get_mut(&chain.class);
        if let Some(method) = class.and_then(|class| class.methods.get_mut(&chain.method)) {
            method.entry += rest;
        }
    }

    /// Counts a call of a native that has returned.
    fn native(&mut self, endpoint: EndpointId, name: &'static str, time: SimDuration) {
        let Some(running) = self.running.get_mut(&endpoint) else {
            return;
        };
        running.accounted += time;
        let Some((class, method, pc, _)) = running.last else {
            return;
        };
        if let Some(chain) = running.nested.last() {
            self.chains[*chain].spent.time += time;
        }
        let class = self.classes.get_mut(&class);
        let Some(method) = class.and_then(|class| class.methods.get_mut(&method)) else {
            return;
        };
        method.natives.entry(name).or_default().add(1, time);
        if let Some(place) = method.places.get_mut(pc.index()) {
            place.natives.add(1, time);
        }
    }
}

impl Sink for Executions {
    fn wants_posts(&self) -> bool {
        false
    }

    fn wants(&self, shown: Shown) -> bool {
        super::is_shown(shown, false)
    }

    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        let Some(endpoint) = event.endpoint else {
            return;
        };
        let roles = event.kind.roles();
        match roles.step {
            Step::CallBegan { .. } => {
                let running = self.running.entry(endpoint).or_default();
                *running = Running {
                    began: Some(event.time),
                    ..Running::default()
                };
            }
            Step::CallSuspended => self.stop(endpoint, event.time, false),
            Step::CallResumed => {
                let running = self.running.entry(endpoint).or_default();
                running.began = Some(event.time);
            }
            Step::CallReturned { .. } | Step::CallTrapped { .. } => {
                self.stop(endpoint, event.time, true);
            }
            Step::Made(_) => {
                if let Shape::Since(name, begun) = roles.shape {
                    self.native(endpoint, name, event.time.since(begun));
                }
            }
            _ => {}
        }
    }

    fn watches(&self) -> bool {
        true
    }

    fn executed(&mut self, names: &dyn Names, executed: &Executed<'_>) {
        let Executed {
            endpoint,
            class,
            depth,
            method,
            instructions,
            each,
            ..
        } = *executed;
        let mut running = self.running.remove(&endpoint).unwrap_or_default();
        let depth = depth as usize;
        running.nested.truncate(depth);
        let is_entered = running.nested.len() < depth;
        if is_entered {
            let chain = self.chain(running.nested.last().copied(), class, method);
            running.nested.push(chain);
        }
        let count = instructions.len() as u64;
        let time = each.times(count);
        running.accounted += time;
        if let Some(chain) = running.nested.last() {
            self.chains[*chain].spent.add(count, time);
        }
        let spent = self.method(names, executed);
        spent.calls += u64::from(is_entered);
        for pc in instructions {
            if pc.index() >= spent.places.len() {
                spent.places.resize(pc.index() + 1, Place::default());
            }
            let place = &mut spent.places[pc.index()];
            place.executions += 1;
            place.time += each;
        }
        if let Some(pc) = instructions.last() {
            running.last = Some((class, method, *pc, each));
        }
        self.running.insert(endpoint, running);
        let endpoints = self
            .classes
            .get_mut(&class)
            .map(|class| &mut class.endpoints);
        if let Some(endpoints) = endpoints.filter(|_| is_entered && depth == 1) {
            let name = names.endpoint(endpoint);
            if !endpoints.iter().any(|known| known == name) {
                endpoints.push(name.to_owned());
            }
        }
    }

    fn took_back(&mut self, endpoint: EndpointId) {
        let Some(running) = self.running.get_mut(&endpoint) else {
            return;
        };
        let Some((class, method, pc, each)) = running.last else {
            return;
        };
        running.accounted = running.accounted.less(each);
        if let Some(chain) = running.nested.last() {
            let spent = &mut self.chains[*chain].spent;
            spent.count = spent.count.saturating_sub(1);
            spent.time = spent.time.less(each);
        }
        let class = self.classes.get_mut(&class);
        let method = class.and_then(|class| class.methods.get_mut(&method));
        if let Some(place) = method.and_then(|method| method.places.get_mut(pc.index())) {
            place.executions = place.executions.saturating_sub(1);
            place.time = place.time.less(each);
        }
    }
}
