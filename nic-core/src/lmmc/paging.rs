//! Remote paging: the seven steps of the side that faults and of the side that receives the request (S4-17, S4-18).
//!
//! Each step is one function, which takes what the step before it returned. Time may pass between two steps, and other
//! things may happen at the same end. Both sides copy nothing themselves: [`PageCopy`] says what to copy.
//!
//! The paper's faulting side sends its request (step 4) before it invalidates the victim's pages (step 5). That is right
//! where the trap is the only thing that runs. On a host with several processors, a store to the victim between these
//! steps would leave behind the request, and land in the port that came in. So stores to the frame are
//! [held](super::StoreError::Held) from step 4 until step 6.
//!
//! Both sides of an end may be in the middle of their steps at the same time, and must be: a store or a request that waits
//! for room in the link takes the interface's trap meanwhile. Two nodes that page each other in stand still otherwise.

use super::frames::Victims;
use super::line::Flushed;
use super::link::{LinkEnd, UnderWay};
use super::message::PageRequest;
use super::names::{FrameId, LinkId, PortId, VirtualPage};
use super::pages::{Access, PageTables, Place, ProtectionFault, SendPage};
use super::ports::PortState;
use super::refused::Refused;
use crate::storage::Storage;

/// Why a store need not page, or not yet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// The page is no send page.
    #[error(transparent)]
    Protection(#[from] ProtectionFault),
    /// The page is of another link.
    #[error("expected a page of this link, found one of link {}", link.0)]
    OtherLink {
        /// The page's link.
        link: LinkId,
    },
    /// The page is valid, since another fault has paged its port in. The store is made again.
    #[error("expected a page that is out, found one in frame {}", frame.0)]
    Resident {
        /// The frame.
        frame: FrameId,
    },
    /// Another fault of this end is under way. The store is made again when it is over.
    #[error("expected no fault under way, found one of port {}", port.number())]
    Busy {
        /// The port that is being paged in.
        port: PortId,
    },
}

/// Step 1 of the faulting side: a store has trapped.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Trapped {
    page: VirtualPage,
    port: PortId,
}

/// Step 2 of the faulting side: the port is known.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Faulted {
    page: VirtualPage,
    port: PortId,
}

/// Step 3 of the faulting side: the frame is known, and no other port gets it.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Chosen {
    page: VirtualPage,
    port: PortId,
    frame: FrameId,
    victim: Option<PortId>,
}

/// Step 4 of the faulting side: the request is on its way.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Requested(Chosen);

/// Step 5 of the faulting side: nobody can write to the victim.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Invalidated(Chosen);

/// Step 6 of the faulting side: all who map the port can write to it.
#[derive(Debug)]
#[must_use = "the fault is under way until step 7"]
pub struct Validated(Chosen);

/// What leaves in step 4: the gathered writes of the victim, if it has some, then the request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageOut {
    /// The gathered writes.
    pub flushed: Option<Flushed>,
    /// The request.
    pub request: PageRequest,
}

impl Faulted {
    /// Returns the port that comes in.
    #[must_use]
    pub fn port(&self) -> PortId {
        self.port
    }
}

impl Chosen {
    /// Returns the frame that changes its port.
    #[must_use]
    pub fn frame(&self) -> FrameId {
        self.frame
    }

    /// Returns the port that goes out, unless the frame was empty.
    #[must_use]
    pub fn victim(&self) -> Option<PortId> {
        self.victim
    }
}

/// The faulting side (S4-17).
impl<S: Storage> LinkEnd<S> {
    /// Step 1: a store to a page that is not valid traps.
    ///
    /// # Errors
    ///
    /// Returns [`FaultError`] if there is nothing to page in, or if another fault comes first.
    pub fn trap(
        &mut self,
        pages: &PageTables<S>,
        page: VirtualPage,
    ) -> Result<Trapped, FaultError> {
        let SendPage { link, frame, .. } = pages.send_page(page)?;
        if link != self.link {
            return Err(FaultError::OtherLink { link });
        }
        let port = match frame {
            Ok(frame) => return Err(FaultError::Resident { frame }),
            Err(port) => port,
        };
        if let Some(UnderWay { port, .. }) = self.under_way {
            return Err(FaultError::Busy { port });
        }
        self.under_way = Some(UnderWay {
            port,
            victim: None,
            frame: None,
            holds_stores: false,
        });
        Ok(Trapped { page, port })
    }

    /// Step 2: the page table has the port's id in place of a frame (S4-14).
    pub fn find_port(&self, Trapped { page, port }: Trapped) -> Faulted {
        Faulted { page, port }
    }

    /// Step 3: chooses the frame that the port gets. An empty one comes first.
    pub fn choose(
        &mut self,
        pages: &mut PageTables<S>,
        Faulted { page, port }: Faulted,
        victims: Victims,
    ) -> Chosen {
        let ports = &self.send.ports;
        let take_used = |port| {
            let sharers = ports.get(port).map(|port| &port.sharers[..]);
            let mut was_used = false;
            for sharer in sharers.unwrap_or_default() {
                let entry = pages.entry_mut(sharer.page);
                if let Some(Access::Send { used, .. }) = entry.map(|entry| &mut entry.access) {
                    was_used |= core::mem::take(used);
                }
            }
            was_used
        };
        let frames = &mut self.send.frames;
        let frame = match frames.free(None) {
            Some(free) => free,
            None => frames.victim(victims, take_used),
        };
        let victim = frames.port(frame);
        self.under_way = Some(UnderWay {
            port,
            victim,
            frame: Some(frame),
            holds_stores: false,
        });
        Chosen {
            page,
            port,
            frame,
            victim,
        }
    }

    /// Step 4: asks the receiver to page the victim out and the port in. The request leaves behind the victim's last
    /// writes, and the link keeps the order, so this end need not wait for the receiver (S4-09).
    pub fn request(&mut self, chosen: Chosen) -> (Requested, PageOut) {
        let flushed = chosen.victim.and_then(|victim| self.flush(victim));
        let request = PageRequest {
            port: chosen.port,
            frame: chosen.frame,
        };
        if let Some(paging) = &mut self.under_way {
            paging.holds_stores = true;
        }
        (Requested(chosen), PageOut { flushed, request })
    }

    /// Step 5: takes the frame away from all who map the victim. Their entries have its id instead.
    pub fn invalidate(
        &mut self,
        pages: &mut PageTables<S>,
        Requested(chosen): Requested,
    ) -> Invalidated {
        self.send.frames.clear(chosen.frame);
        if let Some(victim) = chosen.victim
            && let Some(found) = self.send.ports.get_mut(victim)
            // The peer may have refused a victim that was still being set up, whose id is another port's now.
            && found.frame == Some(chosen.frame)
        {
            found.frame = None;
            for sharer in found.sharers.iter() {
                if let Some(entry) = pages.entry_mut(sharer.page) {
                    entry.place = Place::Port(victim);
                }
            }
        }
        Invalidated(chosen)
    }

    /// Step 6: gives the frame to all who map the port.
    pub fn validate(
        &mut self,
        pages: &mut PageTables<S>,
        Invalidated(chosen): Invalidated,
    ) -> Validated {
        if let Some(found) = self.send.ports.get_mut(chosen.port) {
            found.frame = Some(chosen.frame);
            self.send.frames.put(chosen.frame, chosen.port);
            for sharer in found.sharers.iter() {
                if let Some(entry) = pages.entry_mut(sharer.page) {
                    entry.place = Place::Frame(chosen.frame);
                }
            }
        }
        if let Some(paging) = &mut self.under_way {
            paging.holds_stores = false;
        }
        Validated(chosen)
    }

    /// Step 7: returns to the process, which makes its store again. Returns the store's page.
    pub fn resume(&mut self, Validated(chosen): Validated) -> VirtualPage {
        self.under_way = None;
        chosen.page
    }
}

/// Bytes to copy between a frame and the backing memory of a port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageCopy {
    /// The port.
    pub port: PortId,
    /// The frame.
    pub frame: FrameId,
}

/// Step 1 of the receiving side: the interface has trapped, and its controller takes no message.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct Stopped(PageRequest);

/// Step 2 of the receiving side: the request is right, and the port that goes out is known.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct Outgoing {
    request: PageRequest,
    outgoing: Option<PortId>,
}

/// Step 3 of the receiving side: the bytes of the outgoing port are in its backing memory.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct PagedOut(Outgoing);

/// Step 4 of the receiving side: the pages of the outgoing port are main memory.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct Saved(Outgoing);

/// Step 5 of the receiving side: the bytes of the port are in the frame.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct PagedIn(Outgoing);

/// Step 6 of the receiving side: the pages of the port are the frame.
#[derive(Debug)]
#[must_use = "the controller is stopped until step 7"]
pub struct Restored(Outgoing);

impl Outgoing {
    /// Returns the port that goes out, unless the frame is empty.
    #[must_use]
    pub fn outgoing(&self) -> Option<PortId> {
        self.outgoing
    }

    /// Returns the port that comes in.
    #[must_use]
    pub fn incoming(&self) -> PortId {
        self.request.port
    }
}

/// The receiving side (S4-18).
impl<S: Storage> LinkEnd<S> {
    /// Step 1: a paging request traps, and the controller takes no message until step 7 (S4-08).
    pub(super) fn stop(&mut self, request: PageRequest) -> Stopped {
        self.is_stopped = true;
        Stopped(request)
    }

    /// Step 2: reads the request, and finds the port that goes out.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`] if no honest peer could have sent the request. The controller goes on, and nothing else has
    /// changed.
    pub fn read_request(&mut self, Stopped(request): Stopped) -> Result<Outgoing, Refused> {
        let outgoing = self.check(request);
        self.is_stopped = outgoing.is_ok();
        outgoing.map(|outgoing| Outgoing { request, outgoing })
    }

    fn check(&self, PageRequest { port, frame }: PageRequest) -> Result<Option<PortId>, Refused> {
        let frames = &self.receive.frames;
        if !frames.has(frame) {
            let frames = frames.count();
            return Err(Refused::NoFrame { frame, frames });
        }
        let found = self.receive.ports.get(port);
        // A port that the receiver has asked to delete is the sender's until it answers.
        let is_open = |state| matches!(state, PortState::Open | PortState::Closing);
        let found = found.filter(|found| is_open(found.state));
        let found = found.ok_or(Refused::NoPort { port })?;
        match found.frame {
            Some(frame) => Err(Refused::Resident { port, frame }),
            None => Ok(frames.port(frame)),
        }
    }

    /// Step 3: returns the copy from the frame to the backing memory of the outgoing port (S4-19).
    pub fn page_out(&self, outgoing: Outgoing) -> (PagedOut, Option<PageCopy>) {
        let frame = outgoing.request.frame;
        let copy = outgoing.outgoing.map(|port| PageCopy { port, frame });
        (PagedOut(outgoing), copy)
    }

    /// Step 4: saves the entries of all who map the outgoing port. Their pages are main memory from now on, so a process
    /// that polls one reads what was written last, and traps nowhere (S4-19).
    pub fn save(&mut self, pages: &mut PageTables<S>, PagedOut(outgoing): PagedOut) -> Saved {
        self.receive.frames.clear(outgoing.request.frame);
        let port = outgoing.outgoing;
        if let Some(found) = port.and_then(|port| self.receive.ports.get_mut(port)) {
            found.frame = None;
            for sharer in found.sharers.iter_mut() {
                if let Some(entry) = pages.entry_mut(sharer.page) {
                    sharer.saved = Some(*entry);
                    entry.place = Place::Memory;
                }
            }
        }
        Saved(outgoing)
    }

    /// Step 5: returns the copy from the backing memory of the port to the frame.
    pub fn page_in(&self, Saved(outgoing): Saved) -> (PagedIn, PageCopy) {
        let PageRequest { port, frame } = outgoing.request;
        (PagedIn(outgoing), PageCopy { port, frame })
    }

    /// Step 6: the saved entries come back, with the frame that the port has now (S4-19).
    pub fn restore(&mut self, pages: &mut PageTables<S>, PagedIn(outgoing): PagedIn) -> Restored {
        let PageRequest { port, frame } = outgoing.request;
        if let Some(found) = self.receive.ports.get_mut(port) {
            found.frame = Some(frame);
            self.receive.frames.put(frame, port);
            for sharer in found.sharers.iter_mut() {
                let entry = pages.entry_mut(sharer.page);
                if let (Some(entry), Some(saved)) = (entry, sharer.saved.take()) {
                    *entry = saved;
                    entry.place = Place::Frame(frame);
                }
            }
        }
        Restored(outgoing)
    }

    /// Step 7: the controller takes messages again. Returns the port that came in, whose readers run next (S4-22).
    pub fn go(&mut self, Restored(outgoing): Restored) -> PortId {
        self.is_stopped = false;
        outgoing.request.port
    }
}
