//! Setting up and deleting ports: how both ends come to the same id (S4-06, S4-11).
//!
//! Whoever creates a port offers its lowest free id. A peer that has this id in use answers with its own lowest above it,
//! and so on, so a set-up is over after as many messages as there are ids. Two ends that propose the same id at the same
//! time would answer each other for ever, each with the id that the other has proposed meanwhile. So the sender's
//! proposal counts: a receiver gives up its own for it, and the sender's answer moves the receiver's port to another id.
//!
//! A deleted id is free again when both ends have deleted the port, so that no late message of the old port can mean a
//! new one.

use core::cmp::Ordering;

use super::link::{LinkEnd, PortError, Side};
use super::message::{SetUp, SetUpStep};
use super::names::{CreationId, Direction, FrameId, PortId};
use super::pages::{PageTables, Place};
use super::ports::{Port, PortState};
use super::refused::Refused;
use crate::storage::{List, Storage};

/// What a set-up message has done at this end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A port is open at this end. Its bytes are 0: the owner of the receiver's memory clears the frame and the backing
    /// memory of the port, which may have belonged to other ports.
    Opened {
        /// The port.
        port: PortId,
        /// The creation of this end, if it was one.
        creation: Option<CreationId>,
        /// The frame that the port begins with.
        frame: Option<FrameId>,
    },
    /// The id is in use here, so this end has proposed another one.
    Proposed {
        /// The new id.
        port: PortId,
    },
    /// No id is free, so there is no port.
    Failed {
        /// The creation of this end, if it was one.
        creation: Option<CreationId>,
    },
    /// The receiver wants the port to be deleted. [`LinkEnd::delete_asked`] does it.
    Asked {
        /// The port.
        port: PortId,
    },
    /// The sender has deleted the port. Its pages are main memory from now on. If it had a frame, its bytes are copied to
    /// the backing memory before anything else happens.
    Deleted {
        /// The port.
        port: PortId,
        /// The frame that it had.
        frame: Option<FrameId>,
    },
    /// The id of a port that this end has deleted is free.
    Freed {
        /// The port.
        port: PortId,
    },
    /// Both ends have begun to delete the port, so nothing more happens.
    Nothing,
}

/// What a set-up message does, and its answer.
pub(super) type Outcome = (Progress, Option<SetUp>);

impl<S: Storage, E: Clone + Default + core::fmt::Debug> Side<S, E> {
    /// Returns the lowest id above `than` that neither a port nor a creation of this end has.
    fn lowest_above(&self, than: u32) -> Option<PortId> {
        let is_free = |id| self.creations.iter().all(|(_, offered)| *offered != id);
        self.ports.lowest_above(than, is_free)
    }

    /// Puts a port into the table, and into its frame.
    fn put(&mut self, port: PortId, state: PortState, frame: Option<FrameId>) {
        self.ports.insert(port, Port::new(state, frame));
        if let Some(frame) = frame {
            self.frames.put(frame, port);
        }
    }

    /// Takes back what this end has proposed.
    fn withdraw(&mut self, port: PortId) {
        if self.ports.state(port) == Some(PortState::Offered)
            && let Some(Port {
                frame: Some(frame), ..
            }) = self.ports.remove(port)
        {
            self.frames.clear(frame);
        }
    }

    /// Returns the place of the creation that has proposed an id last.
    fn creation_of(&self, offered: PortId) -> Option<usize> {
        let mut creations = self.creations.iter();
        creations.position(|(_, own)| *own == offered)
    }

    /// Returns whether this end waits for an answer to a proposal of this id.
    fn has_offered(&self, port: PortId) -> bool {
        self.ports.state(port) == Some(PortState::Offered) || self.creation_of(port).is_some()
    }

    /// Ends a creation of this end.
    fn end_creation(&mut self, place: Option<usize>) -> Option<CreationId> {
        let place = place?;
        self.creations[place..].rotate_left(1);
        self.creations.pop().map(|(creation, _)| creation)
    }
}

impl<S: Storage> LinkEnd<S> {
    /// Begins to set up a port to send or to receive on (`port_create`, S4-20), and returns the message for the peer. A
    /// send port gets a free frame if there is one, so its first write does not trap.
    ///
    /// # Errors
    ///
    /// Returns [`PortError::Full`] if no id is free, and [`PortError::Creations`] if too many ports are being set up.
    pub fn create(&mut self, direction: Direction) -> Result<(CreationId, SetUp), PortError> {
        match direction {
            Direction::Send => self.create_at::<Sender>(),
            Direction::Receive => self.create_at::<Receiver>(),
        }
    }

    fn create_at<R: Role<S>>(&mut self) -> Result<(CreationId, SetUp), PortError> {
        let frame = R::give_frame(self);
        let creation = CreationId(self.next_creation);
        let side = R::side(self);
        let ports = side.ports.limit();
        let port = side.lowest_above(0).ok_or(PortError::Full { ports })?;
        if !side.creations.push((creation, port)) {
            return Err(PortError::Creations);
        }
        side.put(port, PortState::Offered, frame);
        self.next_creation = self.next_creation.wrapping_add(1);
        let message = SetUp {
            by: R::DIRECTION,
            port,
            step: SetUpStep::Offer { frame },
        };
        Ok((creation, message))
    }

    /// Does what a set-up message of the peer says.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`] if no honest peer could have sent it, and changes nothing.
    pub(super) fn set_up(
        &mut self,
        pages: &mut PageTables<S>,
        message: SetUp,
    ) -> Result<Outcome, Refused> {
        let SetUp { by, port, step } = message;
        let ports = self.sizes.ports;
        if port.number() > ports {
            return Err(Refused::NoId { port, ports });
        }
        match by {
            Direction::Send => self.check_given(step)?,
            Direction::Receive => {}
        }
        match (step, by) {
            (SetUpStep::Delete, _) => self.deleted_by_sender(pages, port),
            (SetUpStep::Close, _) => self.asked_to_close(port),
            (SetUpStep::Deleted, _) => self.deleted_by_receiver(port),
            (SetUpStep::Offer { frame }, Direction::Send) => {
                Ok(self.propose::<Receiver>(port, frame, None))
            }
            (SetUpStep::Offer { .. }, Direction::Receive) => {
                Ok(self.propose::<Sender>(port, None, None))
            }
            (SetUpStep::Answer { to, frame }, Direction::Send) => {
                self.answered::<Receiver>(to, port, frame)
            }
            (SetUpStep::Answer { to, .. }, Direction::Receive) => {
                self.answered::<Sender>(to, port, None)
            }
            (SetUpStep::Refuse, Direction::Send) => self.refused::<Receiver>(port),
            (SetUpStep::Refuse, Direction::Receive) => self.refused::<Sender>(port),
        }
    }

    /// Checks the frame that the sender gives to a port.
    fn check_given(&self, step: SetUpStep) -> Result<(), Refused> {
        let (SetUpStep::Offer { frame } | SetUpStep::Answer { frame, .. }) = step else {
            return Ok(());
        };
        let Some(frame) = frame else {
            return Ok(());
        };
        let frames = &self.receive.frames;
        if !frames.has(frame) {
            let frames = frames.count();
            return Err(Refused::NoFrame { frame, frames });
        }
        match frames.port(frame) {
            None => Ok(()),
            Some(port) => Err(Refused::FrameTaken { frame, port }),
        }
    }

    /// Takes an id that the peer proposes, or proposes a higher one.
    fn propose<R: Role<S>>(
        &mut self,
        port: PortId,
        given: Option<FrameId>,
        creation: Option<usize>,
    ) -> Outcome {
        let takes = match R::side(self).ports.state(port) {
            None => true,
            // Both ends have proposed this id: the sender's proposal counts.
            Some(PortState::Offered) => R::DIRECTION == Direction::Receive,
            Some(PortState::Open | PortState::Asked | PortState::Closing) => false,
        };
        let frame = R::give_frame(self);
        let side = R::side(self);
        let answer = |id, frame| SetUp {
            by: R::DIRECTION,
            port: id,
            step: SetUpStep::Answer { to: port, frame },
        };
        if takes {
            let own = given.or(frame);
            side.put(port, PortState::Open, own);
            let opened = Progress::Opened {
                port,
                creation: side.end_creation(creation),
                frame: own,
            };
            return (opened, Some(answer(port, frame)));
        }
        let Some(higher) = side.lowest_above(port.number()) else {
            let failed = Progress::Failed {
                creation: side.end_creation(creation),
            };
            let refuse = SetUp {
                by: R::DIRECTION,
                port,
                step: SetUpStep::Refuse,
            };
            return (failed, Some(refuse));
        };
        side.put(higher, PortState::Offered, frame);
        if let Some((_, offered)) = creation.and_then(|place| side.creations.get_mut(place)) {
            *offered = higher;
        }
        let proposed = Progress::Proposed { port: higher };
        (proposed, Some(answer(higher, frame)))
    }

    /// Takes the peer's answer to the proposal of an id.
    fn answered<R: Role<S>>(
        &mut self,
        to: PortId,
        port: PortId,
        given: Option<FrameId>,
    ) -> Result<Outcome, Refused> {
        let side = R::side(self);
        if !side.has_offered(to) {
            return Err(Refused::NotOffered { port: to });
        }
        match port.cmp(&to) {
            Ordering::Less => Err(Refused::NotAbove { offered: to, port }),
            Ordering::Equal => self.agreed::<R>(port, given),
            Ordering::Greater => {
                let creation = side.creation_of(to);
                side.withdraw(to);
                Ok(self.propose::<R>(port, given, creation))
            }
        }
    }

    /// Opens the port whose id this end has proposed.
    fn agreed<R: Role<S>>(
        &mut self,
        port: PortId,
        given: Option<FrameId>,
    ) -> Result<Outcome, Refused> {
        let side = R::side(self);
        // A receiver that gave up its proposal of an id hears of another one.
        let offered = side.ports.get_mut(port);
        let offered = offered.filter(|offered| offered.state == PortState::Offered);
        let offered = offered.ok_or(Refused::NotOffered { port })?;
        offered.state = PortState::Open;
        offered.frame = given.or(offered.frame);
        let frame = offered.frame;
        if let Some(given) = given {
            side.frames.put(given, port);
        }
        let creation = side.creation_of(port);
        let creation = side.end_creation(creation);
        let opened = Progress::Opened {
            port,
            creation,
            frame,
        };
        Ok((opened, None))
    }

    /// Gives up a proposal for which the peer has no id.
    fn refused<R: Role<S>>(&mut self, port: PortId) -> Result<Outcome, Refused> {
        let side = R::side(self);
        if !side.has_offered(port) {
            return Err(Refused::NotOffered { port });
        }
        side.withdraw(port);
        let creation = side.creation_of(port);
        let creation = side.end_creation(creation);
        Ok((Progress::Failed { creation }, None))
    }

    /// Deletes a receive port that its sender has deleted. Its readers keep what was written last, as plain memory.
    fn deleted_by_sender(
        &mut self,
        pages: &mut PageTables<S>,
        port: PortId,
    ) -> Result<Outcome, Refused> {
        match self.receive.ports.state(port) {
            Some(PortState::Open | PortState::Closing) => {}
            Some(PortState::Offered | PortState::Asked) | None => {
                return Err(Refused::NoPort { port });
            }
        }
        let removed = self.receive.ports.remove(port);
        let removed = removed.ok_or(Refused::NoPort { port })?;
        for sharer in removed.sharers.iter() {
            if let Some(entry) = pages.entry_mut(sharer.page) {
                entry.place = Place::Memory;
            }
        }
        if let Some(frame) = removed.frame {
            self.receive.frames.clear(frame);
        }
        let deleted = Progress::Deleted {
            port,
            frame: removed.frame,
        };
        let answer = SetUp {
            by: Direction::Receive,
            port,
            step: SetUpStep::Deleted,
        };
        Ok((deleted, Some(answer)))
    }

    fn asked_to_close(&mut self, port: PortId) -> Result<Outcome, Refused> {
        let found = self.send.ports.get_mut(port);
        let found = found.ok_or(Refused::NoPort { port })?;
        match found.state {
            PortState::Open => {
                found.state = PortState::Asked;
                Ok((Progress::Asked { port }, None))
            }
            // The receiver asked before it heard that the port is deleted.
            PortState::Closing => Ok((Progress::Nothing, None)),
            PortState::Asked | PortState::Offered => Err(Refused::NoPort { port }),
        }
    }

    fn deleted_by_receiver(&mut self, port: PortId) -> Result<Outcome, Refused> {
        match self.send.ports.state(port) {
            Some(PortState::Closing) => {
                self.send.ports.remove(port);
                Ok((Progress::Freed { port }, None))
            }
            Some(PortState::Offered | PortState::Open | PortState::Asked) | None => {
                Err(Refused::NotDeleted { port })
            }
        }
    }
}

/// What an end is to a port. The set-up is the same for both, but only the sender gives frames.
trait Role<S: Storage> {
    const DIRECTION: Direction;
    type Own: Clone + Default + core::fmt::Debug;

    fn side(end: &mut LinkEnd<S>) -> &mut Side<S, Self::Own>;

    /// Returns the frame that this end gives to a new port.
    fn give_frame(end: &LinkEnd<S>) -> Option<FrameId>;
}

enum Sender {}

impl<S: Storage> Role<S> for Sender {
    const DIRECTION: Direction = Direction::Send;
    type Own = super::ports::Sending;

    fn side(end: &mut LinkEnd<S>) -> &mut Side<S, Self::Own> {
        &mut end.send
    }

    fn give_frame(end: &LinkEnd<S>) -> Option<FrameId> {
        let taken = end.under_way.as_ref().and_then(|paging| paging.frame);
        end.send.frames.free(taken)
    }
}

enum Receiver {}

impl<S: Storage> Role<S> for Receiver {
    const DIRECTION: Direction = Direction::Receive;
    type Own = super::ports::Receiving;

    fn side(end: &mut LinkEnd<S>) -> &mut Side<S, Self::Own> {
        &mut end.receive
    }

    fn give_frame(_: &LinkEnd<S>) -> Option<FrameId> {
        None
    }
}
