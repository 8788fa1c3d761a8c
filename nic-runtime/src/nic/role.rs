//! A processor's relation to the other processors of its NIC, and its work in progress if the end of that work may move.

use crate::ids::{AppletId, ProcessorId};
use std::collections::VecDeque;

use super::costs::ALONE;
use super::item::Item;
use super::slicing::Slicing;
use crate::spec::Placement;
use nic_core::time::{SimDuration, SimTime};

/// How long processors have waited for an applet that another processor was running.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CallWaits {
    /// Number of waits.
    pub count: u64,
    /// Total time of all waits for the applet.
    pub time: SimDuration,
}

/// Which kinds of work a processor looks for by itself.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Takes {
    pub(crate) arrivals: bool,
    pub(crate) posts: bool,
    pub(crate) timers: bool,
    pub(crate) refills: bool,
    pub(crate) watches: bool,
}

/// A processor's relation to the other processors of its NIC.
#[derive(Debug)]
pub(crate) struct ProcessorRole {
    /// Whether the processor is the NIC's only processor.
    pub(crate) is_alone: bool,
    /// The kinds of work that the processor looks for by itself.
    pub(crate) takes: Takes,
    /// The other processor that runs `doTx`, if this one does not: descriptors for applets are handed over to it.
    pub(crate) posts_to: Option<ProcessorId>,
    /// The other processor that runs `doRx`, if this one does not: packets for applets are handed over to it.
    pub(crate) arrivals_to: Option<ProcessorId>,
    /// Items handed over to this processor, oldest first.
    pub(crate) handed: VecDeque<Item>,
    /// Whether the processor next serves an item that was handed over to it, before other work.
    pub(crate) is_handed_next: bool,
    /// The applet whose call the processor runs, recorded only if the NIC has several processors.
    pub(crate) running: Option<AppletId>,
    /// The applet that the processor waits for because another processor runs it, and since when.
    pub(crate) awaits: Option<(AppletId, SimTime)>,
    pub(crate) contention: Contention,
    /// The work in progress, recorded only if its end may move. The end moves when neighbouring processors slow the
    /// processor down, and when its call yields.
    pub(crate) load: Option<Load>,
    /// How the processor's calls yield, if they do.
    pub(crate) slicing: Option<Slicing>,
    /// The loop's relation to the processors of its host, if it runs there.
    pub(crate) on_host: Option<OnHost>,
    /// Time of the interrupts that the loop has yet to take, for packets that need no processor of a NIC.
    pub(crate) interrupts: SimDuration,
    /// Whether the processor records the begin and the end of each call.
    pub(crate) is_recorded: bool,
    /// Whether the end of the processor's work may move, or the loop waits for a processor of its host.
    pub(crate) is_timed: bool,
    /// Whether the processor's work neither moves nor is reported, and its NIC has no chain of applets.
    pub(crate) is_plain: bool,
}

/// How a loop in host software stands to the processors of its host.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum OnHost {
    /// The loop has no processor and does not wait for one.
    Away {
        /// Whether the event has come for which its call waited.
        is_roused: bool,
    },
    /// The loop waits for a processor.
    Waits,
    /// The loop has had a processor since this time.
    Has(SimTime),
}

/// Factor by which a processor's work takes longer while a neighbour is busy, in thousandths; 1,000 means no slowdown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contention(pub(crate) u32);

/// Work in progress on a processor whose work may end later than it was to end when it began.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Load {
    /// Remaining work, in thousandths of the picoseconds that it takes without contention, so that rounding errors stay
    /// below a picosecond.
    pub(crate) left: u64,
    /// If the work is code of an applet, the part of the work after the last instruction, in the same unit.
    pub(crate) after_code: Option<u64>,
    /// Time at which the current `rate` began to apply.
    pub(crate) since: SimTime,
    /// Current factor, in thousandths.
    pub(crate) rate: u32,
    /// End of the work at the current rate.
    pub(crate) ends: SimTime,
}

impl Load {
    /// Returns work that begins now and takes the time `alone` if there is no contention.
    pub(crate) fn new(alone: SimDuration, now: SimTime) -> Load {
        Load {
            left: thousandths(alone),
            after_code: None,
            since: now,
            rate: ALONE,
            ends: SimTime::MAX,
        }
    }

    /// Subtracts the work done since the last change of rate.
    pub(crate) fn settle(&mut self, now: SimTime) {
        let elapsed = u128::from(now.since(self.since).as_ps());
        let done = elapsed * u128::from(ALONE) * u128::from(ALONE);
        // Rounded up: however often the rate changes, the work takes no longer than at its slowest rate.
        let done = done.div_ceil(u128::from(self.rate));
        self.left = self
            .left
            .saturating_sub(u64::try_from(done).unwrap_or(u64::MAX));
        self.since = now;
    }

    /// Sets the rate of the work from now on. Returns the new end of the work, or `None` if the end has not changed.
    pub(crate) fn stretch(&mut self, rate: u32) -> Option<SimTime> {
        self.rate = rate;
        let takes = u128::from(self.left) * u128::from(rate);
        let takes = takes.div_ceil(u128::from(ALONE) * u128::from(ALONE));
        let takes = SimDuration::from_ps(u64::try_from(takes).unwrap_or(u64::MAX));
        let ends = self.since + takes;
        (std::mem::replace(&mut self.ends, ends) != ends).then_some(ends)
    }

    /// Returns how long it takes, but at least `least`, until the code of this work is between two instructions. The
    /// current rate is assumed to stay. Each instruction takes the time `each` without contention. Returns
    /// `None` if the work has no code left by then. The work must have been settled.
    pub(crate) fn between_instructions(
        &self,
        least: SimDuration,
        each: SimDuration,
    ) -> Option<SimDuration> {
        let code = self.left.checked_sub(self.after_code?)?;
        let done = u128::from(least.as_ps()) * u128::from(ALONE) * u128::from(ALONE)
            / u128::from(self.rate);
        let rest = code.checked_sub(u64::try_from(done).ok()?)?;
        let each = thousandths(each);
        let part = rest.checked_rem(each).unwrap_or(0);
        // With contention the end of an instruction may fall within a picosecond.
        let is_between = part < u64::from(ALONE) || each - part < u64::from(ALONE);
        let part = if is_between { 0 } else { part };
        let takes = u128::from(part) * u128::from(self.rate);
        let takes = takes.div_ceil(u128::from(ALONE) * u128::from(ALONE));
        Some(least + SimDuration::from_ps(u64::try_from(takes).unwrap_or(u64::MAX)))
    }
}

/// Returns a time in the unit of [`Load::left`].
pub(crate) fn thousandths(time: SimDuration) -> u64 {
    time.as_ps().saturating_mul(u64::from(ALONE))
}

/// Returns the time of an amount of work in the unit of [`Load::left`], rounded down.
pub(crate) fn time_of(thousandths: u64) -> SimDuration {
    SimDuration::from_ps(thousandths / u64::from(ALONE))
}

impl ProcessorRole {
    /// Returns the [`ProcessorRole`] of processor `number` of a NIC with `count` processors, of which the first has the id
    /// `first`.
    pub(crate) fn new(
        (first, number, count): (u32, u32, u32),
        placement: &Placement,
        contention: u32,
        slice: Option<SimDuration>,
        is_watched: bool,
        is_on_host: bool,
    ) -> ProcessorRole {
        let other = |place: u32| (place != number).then_some(ProcessorId(first + place));
        let contention = if count == 1 { ALONE } else { contention };
        ProcessorRole {
            is_alone: count == 1,
            takes: Takes {
                arrivals: placement.receive == number,
                posts: placement.transmit == number,
                timers: placement.do_timer == number,
                refills: placement.do_refill == number,
                watches: placement.do_watch == number,
            },
            posts_to: other(placement.do_tx),
            arrivals_to: other(placement.do_rx),
            handed: VecDeque::new(),
            is_handed_next: true,
            running: None,
            awaits: None,
            contention: Contention(contention),
            load: None,
            slicing: slice.map(Slicing::new),
            is_recorded: count > 1 || slice.is_some(),
            interrupts: SimDuration::ZERO,
            on_host: is_on_host.then_some(OnHost::Away { is_roused: false }),
            is_timed: contention != ALONE || slice.is_some() || is_on_host,
            is_plain: contention == ALONE && slice.is_none() && !is_watched && !is_on_host,
        }
    }

    /// Returns whether neighbouring processors slow this processor down.
    pub(crate) fn is_contended(&self) -> bool {
        self.contention.0 != ALONE
    }

    /// Returns whether work of this processor may end later than it was to end when it began, or begin later than it was
    /// asked for.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.is_timed
    }
}
