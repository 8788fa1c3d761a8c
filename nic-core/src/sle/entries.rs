//! The table of an applet's entries: the methods that the NIC calls.

use jive_core::entries;

/// The word with which the keys of an entry's costs begin, in the table `[entry]` of a profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EntryCost {
    /// `tx_setup` and `tx_call`.
    Tx,
    /// `rx_setup` and `rx_call`.
    Rx,
    /// `timer_setup` and `timer_call`.
    Timer,
    /// `refill_setup` and `refill_call`.
    Refill,
    /// `watch_setup` and `watch_call`.
    Watch,
}

entries! {
    /// The methods of an applet that its NIC calls.
    pub enum NicEntry, cost EntryCost {
        /// Called for each descriptor on the transmit queue.
        DoTx = doTx(length, channel, offset), required, Tx;
        /// Called for each packet that arrives; the packet is in `RxBuf`.
        DoRx = doRx(length, channel), required, Rx;
        /// Called when the time set by `setTimer` is over. Beyond the paper.
        DoTimer = doTimer(), optional, Timer;
        /// Called for each receive buffer that the user returns. The arguments are the buffer's capacity, the source
        /// channel of the descriptor that named it, and its offset. For a message that needed no buffer the offset is
        /// -1. Beyond the paper.
        DoRefill = doRefill(length, channel, offset), optional, Refill;
        /// Called after a peer has written to bytes that the applet watches. The arguments are the number of the window,
        /// and the watched range in it. Writes that come before the call lead to one call. Beyond the paper.
        DoWatch = doWatch(window, offset, length), optional, Watch;
    }
}
