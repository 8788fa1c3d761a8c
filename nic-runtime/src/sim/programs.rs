//! Host programs that act by themselves: what they are told, and how their actions run. A user of the library supplies
//! such programs, or a scenario names them.

use super::{Engines, Parts};
use crate::host::acting::Acting;
use crate::host::own::OwnProcesses;
use crate::host::program::{Action, Happened};
use crate::host::{Asking, Task};
use crate::nic::work::Work;
use nic_core::event::{DropReason, NicEvent, RxBody, TxStatus};
use nic_core::host::{Reaction, TransmitSpace};
use nic_core::id::{ChannelId, EndpointId};
use nic_core::time::SimDuration;
use nic_core::unet::{MessageBody, ReceiveDescriptor};

impl<'a, E: Engines> Parts<'a, E> {
    /// Installs the supplied programs.
    pub(crate) fn bring(&mut self, own: OwnProcesses<'a>) {
        self.own = own;
        for process in &mut self.own.processes {
            if let Acting::Class(program) = &process.program {
                process.linear = Some(self.memory.pin(program.memory_bytes()));
            }
        }
    }

    /// Tells all programs that the run has started.
    pub(crate) fn start_programs(&mut self) {
        for process in 0..self.own.processes.len() {
            let home = self.own.processes[process].home();
            self.tell_program(home, Happened::Started);
        }
    }

    /// Tells the program of an endpoint what has happened, if the program acts by itself.
    pub(crate) fn tell_program(&mut self, id: EndpointId, what: Happened<'_>) {
        let now = self.now;
        if let Some(process) = self.own.of(id) {
            process.tell(now, what, &mut self.memory);
            let home = process.home();
            self.begin_task(home);
        }
    }

    /// Returns the reaction of the endpoint's program to a message. Programs do not see the failed receives of a VI.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn reaction(&self, id: EndpointId, message: &ReceiveDescriptor) -> Reaction {
        if E::is_first_empty(self, id) {
            return Reaction::Read;
        }
        let user = &self.users[id];
        match self.own.process(id) {
            Some(process) => process.program.program().react(message, user.messages),
            None => user.program.react(message, user.messages),
        }
    }

    /// Returns the channel and bytes of an endpoint's oldest message, for a program that acts by itself.
    #[cold]
    pub(crate) fn message_for_program(&self, id: EndpointId) -> Option<(ChannelId, Vec<u8>)> {
        let endpoint = &self.endpoints[id];
        let message = endpoint.receive.first()?;
        if E::is_first_empty(self, id) {
            return None;
        }
        let payload = match &message.body {
            MessageBody::Inline(bytes) => bytes.to_vec(),
            MessageBody::Buffers(list) => {
                let body = RxBody::Buffers {
                    offsets: list.offsets(),
                    share: endpoint.free.buffer_length(),
                    area: self.memory.region(endpoint.area),
                };
                body.payload(message.length).bytes().collect()
            }
        };
        Some((message.channel, payload))
    }

    /// Tells the program of an endpoint that a message was read.
    pub(crate) fn tell_message(&mut self, id: EndpointId, channel: ChannelId, payload: &[u8]) {
        let what = Happened::Message {
            endpoint: id,
            channel,
            payload,
        };
        self.tell_program(id, what);
    }

    /// Tells the program of an endpoint that a transmit descriptor has completed.
    #[cold]
    pub(crate) fn tell_completed(
        &mut self,
        endpoint: EndpointId,
        channel: ChannelId,
        status: TxStatus,
    ) {
        let what = Happened::Completed {
            endpoint,
            channel,
            status,
        };
        self.tell_program(endpoint, what);
    }

    /// Puts an action before the other actions of an endpoint's busy process.
    pub(crate) fn put_action(&mut self, id: EndpointId, action: Action) {
        if let Some(process) = self.own.of(id) {
            process.actions.push_front(action);
        }
    }

    /// Puts an action before the other actions of an endpoint's process.
    pub(crate) fn act_first(&mut self, id: EndpointId, action: Action) {
        if let Some(process) = self.own.of(id) {
            process.actions.push_front(action);
            let home = process.home();
            self.begin_task(home);
        }
    }

    /// Lets the process of an endpoint begin its next action, if it is idle.
    pub(crate) fn begin_next(&mut self, id: EndpointId) {
        if let Some(process) = self.own.of(id) {
            let home = process.home();
            self.begin_task(home);
        }
    }

    /// Begins the next action of an idle process. Returns whether the process is now busy.
    pub(crate) fn begin_action(&mut self, home: EndpointId) -> bool {
        // The process may be told of what its action causes, and must not begin its next action meanwhile.
        self.users[home].task = Task::Posting;
        let begun = self.begin_actions(home);
        if !begun {
            self.users[home].task = Task::Waiting;
        }
        begun
    }

    /// Goes on as an interface has answered a process. Returns whether the process is busy, or `None` if its next action
    /// follows.
    fn go_on_after(
        &mut self,
        home: EndpointId,
        endpoint: EndpointId,
        asking: Asking,
    ) -> Option<bool> {
        match asking {
            Asking::Busy(takes) => Some(self.busy(home, Task::Posting, takes)),
            Asking::Held => Some(true),
            Asking::Ignored => None,
            Asking::Later(asked) => {
                if let Some(process) = self.own.of(home) {
                    process.actions.push_front(Action::Ask(endpoint, asked));
                }
                Some(false)
            }
        }
    }

    /// Ends that the process of an endpoint is [held](Asking::Held), after this time.
    pub(crate) fn let_go(&mut self, id: EndpointId, takes: SimDuration) {
        if let Some(process) = self.own.of(id) {
            let home = process.home();
            self.busy(home, Task::Posting, takes);
        }
    }

    /// Lets the process of an endpoint come before all others that wait for a processor of its host, the next time that it
    /// waits for one.
    pub(crate) fn prefer(&mut self, id: EndpointId) {
        if let Some(turns) = &mut self.turns {
            turns.prefer(id);
        }
    }

    fn begin_actions(&mut self, home: EndpointId) -> bool {
        while let Some(process) = self.own.of(home) {
            let Some(action) = process.actions.pop_front() else {
                return false;
            };
            match action {
                Action::Compute(takes) => return self.busy(home, Task::Posting, takes),
                Action::Disconnect(endpoint) => E::disconnect(self, endpoint),
                Action::Ask(endpoint, asked) => {
                    let asking = E::asked(self, endpoint, asked);
                    if let Some(is_busy) = self.go_on_after(home, endpoint, asking) {
                        return is_busy;
                    }
                }
                Action::Window(endpoint, asked) => {
                    let asking = E::at_window(self, endpoint, asked);
                    if let Some(is_busy) = self.go_on_after(home, endpoint, asking) {
                        return is_busy;
                    }
                }
                Action::Write {
                    endpoint,
                    window,
                    offset,
                    bytes,
                } => E::write_window(self, endpoint, (window, offset), bytes),
                Action::Frame {
                    endpoint,
                    channel,
                    bytes,
                } => E::send_frame(self, (endpoint, channel), &bytes),
                Action::GoOn => {
                    let now = self.now;
                    if let Some(process) = self.own.of(home) {
                        process.go_on(now, &mut self.memory);
                    }
                }
                Action::Emit(event) => self.report.emit(self.now, home, event),
                Action::Fill {
                    memory,
                    offset,
                    bytes,
                    takes,
                } => {
                    let length = bytes.len() as u64;
                    let place = i64::try_from(length).ok();
                    let area = self.endpoints[memory].area;
                    let span = place.and_then(|length| area.span(offset.into(), length).ok());
                    if let Some(span) = span {
                        self.memory.bytes_mut(span).copy_from_slice(&bytes);
                        let nic = self.endpoints[memory].nic;
                        let rate = self.setup.host_costs(nic).rate;
                        let takes = takes.unwrap_or_else(|| rate.time(span.length()));
                        return self.busy(home, Task::Posting, takes);
                    }
                }
                Action::WakeAt(time) => {
                    let time = time.max(self.now);
                    self.schedule.insert(time, Work::Wake(home));
                }
                Action::Post {
                    endpoint,
                    channel,
                    payload,
                } => {
                    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
                    let has_room = self.endpoints[endpoint].transmit.has_room();
                    let space = match has_room {
                        true => self.users[endpoint].region.take(length),
                        false => TransmitSpace::Taken,
                    };
                    match space {
                        TransmitSpace::Free(space) => {
                            self.memory.bytes_mut(space).copy_from_slice(&payload);
                            self.post(endpoint, channel, space);
                            let nic = self.endpoints[endpoint].nic;
                            let takes = self.setup.host_costs(nic).of_post(length)
                                + E::post_takes(self, endpoint, length);
                            return self.busy(home, Task::Posting, takes);
                        }
                        TransmitSpace::Taken => {
                            let again = Action::Post {
                                endpoint,
                                channel,
                                payload,
                            };
                            if let Some(process) = self.own.of(home) {
                                process.actions.push_front(again);
                            }
                            return false;
                        }
                        TransmitSpace::TooLong => {
                            let kind = NicEvent::Drop {
                                packet: None,
                                reason: DropReason::NoTransmitRoom,
                            };
                            self.report.emit(self.now, endpoint, kind);
                        }
                    }
                }
            }
        }
        false
    }
}
