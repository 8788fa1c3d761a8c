//! What the natives of a program cost, computed once from the profile of its host.

use nic_core::time::{Rate, SimDuration};

use crate::profile::{JaviaCosts, Profile};

/// Bytes of a page, which the host pins as a whole.
const PAGE: u32 = 4096;

/// The time that every native takes at least, so that no program stops the clock.
const LEAST: SimDuration = SimDuration::from_ns(1);

/// A whole, in the thousandths of a profile's parts.
const ONE: u32 = 1000;

/// The costs of a program's natives.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    javia: JaviaCosts,
    instruction: SimDuration,
    copy: Rate,
    allocate: Rate,
    /// Time of the host to register or deregister memory, which pinning includes.
    register: SimDuration,
}

impl Costs {
    /// Returns the costs of a profile; `None` if it has no `[javia]`.
    pub(super) fn of(profile: &Profile) -> Option<Costs> {
        let javia = profile.javia?;
        let call = profile.kernel_costs().map(|kernel| kernel.call);
        Some(Costs {
            javia,
            instruction: profile.host.bytecode,
            copy: Rate::new(profile.host.copy),
            allocate: Rate::new(javia.allocate),
            register: profile.host.post + call.unwrap_or_default(),
        })
    }

    /// Returns the time of instructions.
    pub(super) fn instructions(&self, count: u64) -> SimDuration {
        self.instruction.times(count)
    }

    /// Returns the time before a native begins, after what its program has done in memory.
    pub(super) fn before(&self, done: SimDuration) -> SimDuration {
        (self.javia.native + done).max(LEAST)
    }

    /// Returns the time of the library for a message that it copies into its memory.
    pub(super) fn copied_out(&self, bytes: u32) -> SimDuration {
        self.javia.message + self.copied(bytes)
    }

    /// Returns the time of the library for a message that it sends from where it lies.
    pub(super) fn in_place(&self) -> SimDuration {
        self.javia.message
    }

    /// Returns the time of a copy.
    pub(super) fn copied(&self, bytes: u32) -> SimDuration {
        self.copy.time(bytes)
    }

    /// Returns the time to make an array.
    pub(super) fn allocated(&self, bytes: u32) -> SimDuration {
        self.allocate.time(bytes)
    }

    /// Returns the time to bring a ring of tickets up to date.
    pub(super) fn ring(&self) -> SimDuration {
        self.javia.ring
    }

    /// Returns the time of a native for a buffer.
    pub(super) fn buffer(&self) -> SimDuration {
        self.javia.buffer
    }

    /// Returns the times to pin memory of this length and to unpin it, without the requests to register and to deregister
    /// it.
    pub(super) fn pinned(&self, bytes: u32) -> (SimDuration, SimDuration) {
        let pages = u64::from(bytes.div_ceil(PAGE).max(1));
        let whole = self.javia.pin + self.javia.pin_page.times(pages);
        let parts = whole.as_ps() / u64::from(ONE);
        let before = SimDuration::from_ps(parts.saturating_mul(self.javia.pin_before.into()));
        let after = whole.less(before);
        let rest = |time: SimDuration| time.less(self.register);
        (rest(before), rest(after))
    }

    /// Returns the time of a collection.
    pub(super) fn collection(&self, roots: u32, moved: u32) -> SimDuration {
        self.javia.collect + self.javia.root.times(roots.into()) + self.copied(moved)
    }
}
