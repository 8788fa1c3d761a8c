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
    /// `watch_setup` and `watch_call`, for events of windows.
    Watch,
}

entries! {
    /// The methods of an applet that its NIC calls.
    pub enum NicEntry, cost EntryCost {
        /// The NIC calls `doTx` for each descriptor on the endpoint's transmit queue.
        DoTx = doTx(length, channel, offset), required, Tx;
        /// The NIC calls `doRx` for each packet that arrives. During a call of `doRx`, the packet is in the array of
        /// the applet's field `RxBuf`, or in a free buffer if the NIC receives directly.
        DoRx = doRx(length, channel), required, Rx;
        /// The NIC calls `doTimer` when the time that the applet set with `setTimer` is over. The U-Net/SLE paper does
        /// not have `doTimer`.
        DoTimer = doTimer(), optional, Timer;
        /// The NIC calls `doRefill` for each receive buffer that the user returns. The argument `length` is the
        /// buffer's capacity, and `offset` is the buffer's offset in the buffer area. The argument `channel` is the
        /// source channel in the receive descriptor that named the buffer. For a message in its receive descriptor,
        /// which needed no buffer, `offset` is -1. The U-Net/SLE paper does not have `doRefill`.
        DoRefill = doRefill(length, channel, offset), optional, Refill;
        /// The NIC calls `doWatch` after a peer has written to bytes that the applet watches. The argument `window` is
        /// the window's number. The arguments `offset` and `length` are the watched range in the window. All writes to
        /// a watched range that come before the call of `doWatch` lead to one call. The U-Net/SLE paper does not have
        /// `doWatch`.
        DoWatch = doWatch(window, offset, length), optional, Watch;
        /// The NIC calls `doRead` when a read that the applet began with `windowRead` has ended. The arguments `window`
        /// and `offset` are those of the call of `windowRead`. The argument `status` is 0 if the bytes are in the array,
        /// 1 if the owner of the window refused the read, and 2 if no answer came in time. The U-Net/SLE paper does not
        /// have `doRead`.
        DoRead = doRead(window, offset, status), optional, Watch;
    }
}
