//! Which writes follow which data: the messages that DMA moves, and the evidence that a pointer needs.

use nic_core::memory::HostSpan;

/// The part of a host or NIC that carries out a write.
#[derive(Copy, Clone, Debug)]
pub(crate) enum By {
    /// The processor of the host. The caller has charged the processor's time for the write.
    Processor,
    /// A DMA request, which takes the bytes from host memory.
    Dma(HostSpan),
    /// A DMA request after all earlier requests, for a few bytes of the library. The length of the span in host memory
    /// determines how long the DMA request takes.
    DmaBehind(HostSpan),
}

/// The messages of one end of a connection that DMA moves and whose last request is not done.
#[derive(Debug, Default)]
pub(crate) struct Moving(u32);

/// Evidence that the pointer of a message follows its data and the data of all messages before it. There is one for
/// each message, and only [`Moving::begin`] makes it.
#[must_use = "the message has no pointer without it"]
#[derive(Debug)]
pub(crate) struct Behind(By);

impl Moving {
    /// Begins a message. Its data goes by DMA unless `may_write`, and always while DMA moves earlier messages, because
    /// writes of the processor overtake requests. The pointer of a message that goes by DMA is a request too, which
    /// takes its bytes from `scratch`.
    pub(crate) fn begin(&mut self, may_write: bool, scratch: HostSpan) -> Behind {
        if may_write && self.0 == 0 {
            return Behind(By::Processor);
        }
        self.0 += 1;
        Behind(By::DmaBehind(scratch))
    }

    /// Records that the pointer of the oldest message has left, which was its last request.
    pub(crate) fn over(&mut self) {
        self.0 = self.0.saturating_sub(1);
    }

    /// Returns how many messages DMA moves. They are the newest of the connection.
    pub(crate) fn count(&self) -> u32 {
        self.0
    }
}

impl Behind {
    /// Returns whether the processor writes the message's data.
    pub(crate) fn is_by_processor(&self) -> bool {
        match self.0 {
            By::Processor => true,
            By::Dma(_) | By::DmaBehind(_) => false,
        }
    }

    /// Returns what carries out the write of the pointer.
    pub(super) fn way(self) -> By {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use nic_core::memory::Region;

    use super::*;

    #[test]
    fn nothing_overtakes_a_message_that_dma_moves() {
        let scratch = Region::sole(4).span(0, 4).expect("inside");
        let mut moving = Moving::default();
        assert!(moving.begin(true, scratch).is_by_processor());
        assert!(!moving.begin(false, scratch).is_by_processor());
        assert!(!moving.begin(true, scratch).is_by_processor());
        moving.over();
        assert_eq!(moving.count(), 1);
        assert!(!moving.begin(true, scratch).is_by_processor());
        moving.over();
        moving.over();
        assert!(moving.begin(true, scratch).is_by_processor());
    }
}
