//! Runs the class of a process from native to native.

use jive_core::{
    ArrayKind, BareStep, Instance, Lifetime, MethodId, NativeId, NativeType, Trap, TrapKind,
};
use jive_embed::preset::{Stores, stored_field};
use nic_core::event::HostEvent;
use nic_core::javia::{ProgramEntry, ViaNative};

use super::memory;
use super::state::{ClassProgram, Failed, Now};
use super::ticket::Ticket;
use super::wait::Performed;
use crate::host::{Actions, Happened, HostProgram, Unfinished};
use crate::spec::preset;

impl ClassProgram<'_> {
    /// Begins the program: runs the static initializer, and then `run` up to its first native.
    fn start(&mut self, actions: &mut Actions<'_>) {
        for vi in &self.vis {
            actions.area(vi.endpoint, Ticket::Area.number());
        }
        let program = self.class.program;
        let heap = memory::begin(actions.linear(), self.spec);
        self.heap_begins(heap.next_reference());
        let mut instance = Instance::new(program, &mut *self.fields, heap);
        preset::set(&mut instance, &self.spec.state);
        let (_, state) = instance.detach();
        self.heap = state;
        let mut stores = preset::stores(&self.spec.state);
        let initialized = program
            .initializers()
            .try_for_each(|method| self.initialize(method, &mut stores, actions));
        let begun = initialized.and_then(|()| match ProgramEntry::Run.of(&self.class.class) {
            Some(run) => self.begin(run, &[], actions),
            // The verifier has found the method.
            None => Ok(()),
        });
        match begun {
            Ok(()) => self.run_on(actions),
            Err(trap) => self.trapped(trap, None, actions),
        }
    }

    /// Begins a call of a method.
    fn begin(
        &mut self,
        method: MethodId,
        args: &[i32],
        actions: &mut Actions<'_>,
    ) -> Result<(), Trap> {
        let fuel = self.spec.fuel;
        self.with_heap(actions, |instance, stacks| {
            instance.start(stacks.current(), method, args, fuel, Lifetime::Persistent)
        })
    }

    /// Runs an initializer to its end. It can call no native.
    fn initialize(
        &mut self,
        method: MethodId,
        stores: &mut Stores,
        actions: &mut Actions<'_>,
    ) -> Result<(), Trap> {
        self.begin(method, &[], actions)?;
        loop {
            let (id, args) = match self.run_to_native(actions) {
                Reached::Returned(_) => return Ok(()),
                Reached::Trapped(trap) => return Err(trap),
                Reached::Native(id, args) => (id, args),
            };
            let stored = stored_field(id, ViaNative::TABLE.len()).zip(args.first().copied());
            let outcome = match (id.allocates(), stored) {
                (Some(kind), _) => self.allocated(kind, &args, actions),
                (None, Some((field, value))) => {
                    self.with_heap(actions, |instance, _| stores.store(instance, field, value));
                    Ok(0)
                }
                (None, None) => Err(TrapKind::ProtectionFault),
            };
            self.stacks.current().resume(outcome);
        }
    }

    /// Runs the class up to its next native. The time of its instructions has not passed yet.
    fn run_to_native(&mut self, actions: &mut Actions<'_>) -> Reached {
        let before = self.stacks.current().executed();
        let reached = self.with_heap(actions, |instance, stacks| {
            let stack = stacks.current();
            match instance.run_bare(stack) {
                BareStep::Returned(value) => Reached::Returned(value.unwrap_or(0)),
                BareStep::Trapped(trap) => Reached::Trapped(trap),
                BareStep::Native(id) => Reached::Native(id, stack.native_arguments().to_vec()),
            }
        });
        let executed = self.stacks.current().executed().saturating_sub(before);
        self.done += self.costs.instructions(executed);
        reached
    }

    /// Makes the array of a `newarray`.
    fn allocated(
        &mut self,
        kind: ArrayKind,
        args: &[i32],
        actions: &mut Actions<'_>,
    ) -> Result<i32, TrapKind> {
        let length = args.first().copied().unwrap_or(0);
        let array = self.allocate(kind, length, actions)?;
        let length = length.unsigned_abs();
        let bytes = length.saturating_mul(u32::from(kind.width()));
        self.done += self.costs.allocated(bytes);
        Ok(array)
    }

    /// Runs the class up to the next native that takes time, and lets the time pass that it took.
    fn run_on(&mut self, actions: &mut Actions<'_>) {
        loop {
            match self.run_to_native(actions) {
                Reached::Returned(value) if self.stacks.is_in_unreferenced => {
                    // What `unreferenced` returns has no meaning.
                    let _ = value;
                    if let Err(trap) = self.end_unreferenced(actions) {
                        return self.trapped(trap, None, actions);
                    }
                }
                Reached::Returned(value) => {
                    self.pass(actions);
                    actions.emit(HostEvent::ProgramReturn { value });
                    self.now = Now::Ended(None);
                    return;
                }
                Reached::Trapped(trap) => return self.trapped(trap, self.failed, actions),
                Reached::Native(id, args) => {
                    self.failed = None;
                    if let Some(kind) = id.allocates() {
                        let array = self.allocated(kind, &args, actions);
                        if let Err(trap) = self.resume(array, true, actions) {
                            return self.trapped(trap, None, actions);
                        }
                        continue;
                    }
                    self.native = ViaNative::from_id(id);
                    let takes = self.costs.before(std::mem::take(&mut self.done));
                    actions.compute(takes);
                    actions.go_on();
                    self.now = Now::Before(args);
                    return;
                }
            }
        }
    }

    /// Gives the waiting method the outcome of its native, or first begins the calls of `unreferenced` that are due.
    fn resume(
        &mut self,
        outcome: Result<i32, TrapKind>,
        is_reference: bool,
        actions: &mut Actions<'_>,
    ) -> Result<(), Trap> {
        let waits = !self.stacks.is_in_unreferenced && !self.unreferenced.is_empty();
        if waits && outcome.is_ok() {
            self.kept = Some((outcome, is_reference));
            return self.end_unreferenced(actions);
        }
        self.stacks.current().resume(outcome);
        Ok(())
    }

    /// Begins the next call of `unreferenced`, or lets `run` go on if none is due.
    fn end_unreferenced(&mut self, actions: &mut Actions<'_>) -> Result<(), Trap> {
        let entry = ProgramEntry::Unreferenced.of(&self.class.class);
        let due = self.unreferenced.pop_front();
        if let (Some(entry), Some(arguments)) = (entry, due) {
            self.stacks.is_in_unreferenced = true;
            return self.begin(entry, &arguments, actions);
        }
        self.unreferenced.clear();
        self.stacks.is_in_unreferenced = false;
        if let Some((outcome, _)) = self.kept.take() {
            self.stacks.current().resume(outcome);
        }
        Ok(())
    }

    /// Ends the program in a trap.
    fn trapped(&mut self, trap: Trap, failed: Option<Failed>, actions: &mut Actions<'_>) {
        let Trap { kind, method, pc } = trap;
        self.pass(actions);
        actions.emit(HostEvent::ProgramTrap {
            kind,
            method,
            pc,
            line: self.class.line(method, pc),
            native: failed.map(|failed| failed.native),
            state: failed.and_then(|failed| failed.state),
        });
        self.now = Now::Ended(Some(kind));
    }

    /// Performs the native that the class has reached.
    fn perform(&mut self, args: &[i32], actions: &mut Actions<'_>) {
        let is_in_unreferenced = self.stacks.is_in_unreferenced;
        let performed = match self.native {
            Some(native) if is_in_unreferenced && native.kind().waits() => {
                Performed::Traps(TrapKind::ProtectionFault)
            }
            Some(native) => self.performed(native, args, actions),
            // The verifier has checked that the class calls natives of the table alone.
            None => Performed::Traps(TrapKind::Unverified),
        };
        self.go(performed, actions);
    }

    /// Performs the native before which time has passed, or runs the class on after it.
    pub(crate) fn go_on(&mut self, actions: &mut Actions<'_>) {
        match std::mem::replace(&mut self.now, Now::Unborn) {
            Now::Before(args) => self.perform(&args, actions),
            Now::After(outcome) => {
                self.stacks.current().set_fuel(self.spec.fuel);
                let result = self.native.and_then(|native| native.decl().result);
                let is_reference = result.is_some_and(|kind| kind != NativeType::Int);
                match self.resume(outcome, is_reference, actions) {
                    Ok(()) => self.run_on(actions),
                    Err(trap) => self.trapped(trap, None, actions),
                }
            }
            other @ (Now::Unborn | Now::Waiting(_) | Now::Ended(_)) => self.now = other,
        }
    }
}

/// Where a class has stopped.
enum Reached {
    Returned(i32),
    Trapped(Trap),
    Native(NativeId, Vec<i32>),
}

impl HostProgram for ClassProgram<'_> {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.start(actions),
            Happened::Time => self.time_came(actions),
            Happened::Connection { endpoint, what } => {
                if let Some(vi) = self.place_of(endpoint) {
                    self.connection(vi, what, actions);
                }
            }
            Happened::Vi { endpoint, what } => {
                if let Some(vi) = self.place_of(endpoint) {
                    self.vi_news(vi, what, actions);
                }
            }
            // The VIs of a program take no other messages, and a program has neither ports nor windows.
            Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Port { .. }
            | Happened::Window { .. } => {}
        }
    }

    fn unfinished(&self) -> Option<Unfinished> {
        let native = self.native.map_or("", |native| native.decl().name);
        let (after, has_stopped) = match self.now {
            Now::Unborn => ("not begun".to_owned(), false),
            Now::Before(_) | Now::After(_) => (format!("in `{native}`"), false),
            Now::Waiting(wait) if wait.ends() => (format!("waits in `{native}`"), false),
            Now::Ended(Some(trap)) => (format!("trapped: {trap}"), true),
            // A server waits for as long as it is asked.
            Now::Waiting(_) | Now::Ended(None) => return None,
        };
        Some(Unfinished { after, has_stopped })
    }
}
