//! Placement: which of a NIC's processors runs which stage.

/// Position of a processor among the processors of all NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProcessorId(pub u32);

/// The processor that runs each stage, by its number on the NIC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Takes transmit descriptors, and sends packets of endpoints without an applet.
    pub transmit: u32,
    /// Takes arrivals, and delivers packets of endpoints without an applet.
    pub receive: u32,
    /// Calls `doTx`.
    pub do_tx: u32,
    /// Calls `doRx`.
    pub do_rx: u32,
    /// Calls `doTimer`.
    pub do_timer: u32,
    /// Calls `doRefill`.
    pub do_refill: u32,
}
