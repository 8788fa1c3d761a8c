//! What a NIC calls of an applet: the table of its entries.

use jive_core::entries;

/// Which rows of a profile's `[entry]` a call is charged by: those that begin with this key.
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
}

entries! {
    /// The methods of an applet that its NIC calls.
    pub enum NicEntry, cost EntryCost {
        /// Called for each descriptor on the transmit queue.
        DoTx = doTx(length, channel, offset), required, Tx;
        /// Called for each packet that arrives; the packet is in `RxBuf`.
        DoRx = doRx(length, channel), required, Rx;
        /// Called when the time that `setTimer` has set is over. Beyond the paper.
        DoTimer = doTimer(), optional, Timer;
        /// Called for each receive buffer that the user gives back. The arguments are its capacity, the source channel
        /// of the descriptor that named it, and its offset (-1 for a message that needed no buffer). Beyond the paper.
        DoRefill = doRefill(length, channel, offset), optional, Refill;
    }
}
