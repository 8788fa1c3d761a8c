//! Processes whose programs act by themselves: what each runs, and the actions that it has not carried out.

use std::collections::VecDeque;

use nic_core::id::EndpointId;
use nic_core::memory::Region;
use nic_core::time::SimTime;

use super::javia::ClassProgram;
use super::program::{Action, Actions, Happened, HostProgram};
use crate::memory::HostMemory;

/// What a process runs.
pub(crate) enum Acting<'a> {
    /// A program in Rust.
    Own(Box<dyn HostProgram>),
    /// A class.
    Class(Box<ClassProgram<'a>>),
}

impl Acting<'_> {
    /// Returns the program, as the runtime talks to it.
    pub(crate) fn program(&self) -> &dyn HostProgram {
        match self {
            Acting::Own(program) => program.as_ref(),
            Acting::Class(program) => program.as_ref(),
        }
    }
}

/// A process whose program acts by itself.
pub(crate) struct OwnProcess<'a> {
    pub(crate) program: Acting<'a>,
    pub(crate) endpoints: Vec<EndpointId>,
    pub(crate) actions: VecDeque<Action>,
    /// Whether the program also sends captures.
    pub(crate) replays: bool,
    /// The linear memory of the class that the process runs.
    pub(crate) linear: Option<Region>,
}

impl<'a> OwnProcess<'a> {
    fn acts<'s>(
        &'s mut self,
        now: SimTime,
        memory: &'s mut HostMemory,
    ) -> (&'s mut Acting<'a>, Actions<'s>) {
        let actions = Actions {
            now,
            endpoints: &self.endpoints,
            queue: &mut self.actions,
            memory,
            linear: self.linear,
        };
        (&mut self.program, actions)
    }

    /// Returns the endpoint of the process to which actions without an endpoint are attributed.
    pub(crate) fn home(&self) -> EndpointId {
        self.endpoints[0]
    }

    /// Reports an event to the process's program.
    pub(crate) fn tell(&mut self, now: SimTime, what: Happened<'_>, memory: &mut HostMemory) {
        let (program, mut actions) = self.acts(now, memory);
        match program {
            Acting::Own(program) => program.happened(what, &mut actions),
            Acting::Class(program) => program.happened(what, &mut actions),
        }
    }

    /// Lets the class that the process runs go on.
    pub(crate) fn go_on(&mut self, now: SimTime, memory: &mut HostMemory) {
        if let (Acting::Class(program), mut actions) = self.acts(now, memory) {
            program.go_on(&mut actions);
        }
    }
}
