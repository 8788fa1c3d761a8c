//! Placement: which of a NIC's processors runs which stage.

use std::ops::{Index, IndexMut};

/// The processor that runs each stage of a NIC's work, by the processor's number on the NIC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The processor that fetches transmit descriptors, and sends packets of endpoints without an applet.
    pub transmit: u32,
    /// The processor that fetches arrivals, and delivers packets of endpoints without an applet.
    pub receive: u32,
    /// Calls `doTx`.
    pub do_tx: u32,
    /// Calls `doRx`.
    pub do_rx: u32,
    /// Calls `doTimer`.
    pub do_timer: u32,
    /// Calls `doRefill`.
    pub do_refill: u32,
    /// Calls `doWatch`.
    pub do_watch: u32,
    /// The processors that run the stages of EMP.
    pub emp: EmpPlacement,
}

/// The processors that run the stages of EMP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EmpPlacement {
    /// Each stage of EMP has one processor, given by its number on the NIC.
    Fixed(EmpPlaces),
    /// Any free processor of the NIC runs the next item of EMP.
    Dynamic,
}

/// The processor of each stage of EMP.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct EmpPlaces([u32; EmpStage::ALL.len()]);

impl Default for EmpPlacement {
    fn default() -> EmpPlacement {
        EmpPlacement::Fixed(EmpPlaces::default())
    }
}

impl Index<EmpStage> for EmpPlaces {
    type Output = u32;

    fn index(&self, stage: EmpStage) -> &u32 {
        &self.0[stage as usize]
    }
}

impl IndexMut<EmpStage> for EmpPlaces {
    fn index_mut(&mut self, stage: EmpStage) -> &mut u32 {
        &mut self.0[stage as usize]
    }
}

/// A record of EMP in the memory of a NIC, which stages of several processors may touch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EmpRecord {
    /// The records of messages that are being sent.
    Transmit,
    /// The posted receives.
    Receives,
    /// The records of messages that arrive.
    Arriving,
    /// What is to be acknowledged.
    Acknowledgements,
    /// The register in which a processor sets a bit for another one.
    EventRegister,
}

/// Declares the stages of EMP: their names, the records that they touch, and the stages that they hand work on to.
macro_rules! emp_stages {
    ($($(#[$doc:meta])* $stage:ident = $name:literal, touches [$($record:ident),*], then [$($then:ident),*];)+) => {
        /// A stage of EMP (EMP §3.1). Two steps of the paper are two stages each here, because the paper's Table 2
        /// gives their parts to different processors.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum EmpStage {
            $($(#[$doc])* $stage,)+
        }

        impl EmpStage {
            /// Every stage of EMP, in the order of declaration.
            pub const ALL: [EmpStage; [$($name),+].len()] = [$(EmpStage::$stage),+];

            /// The names of the stages of EMP, in the order of declaration.
            pub const NAMES: [&'static str; [$($name),+].len()] = [$($name),+];

            /// Returns the stage's name in a placement.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(EmpStage::$stage => $name,)+
                }
            }

            /// Returns the records that the stage touches, without the event register.
            #[must_use]
            pub const fn touches(self) -> &'static [EmpRecord] {
                match self {
                    $(EmpStage::$stage => &[$(EmpRecord::$record),*],)+
                }
            }

            /// Returns the stages for which this stage sets a bit in an event register, if another processor runs them.
            #[must_use]
            pub const fn hands_on_to(self) -> &'static [EmpStage] {
                match self {
                    $(EmpStage::$stage => &[$(EmpStage::$then),*],)+
                }
            }
        }
    };
}

// The acknowledgement of a repeated frame, which `receive-bookkeeping` hands on, is left out: it is rare.
emp_stages! {
    /// Prepares the next frame of a message.
    SendBookkeeping = "send-bookkeeping", touches [Transmit], then [Transmission];
    /// Moves a frame from the host to the wire.
    Transmission = "transmission", touches [Transmit], then [];
    /// Finds the message that an acknowledgement acknowledges.
    ReceiveAck = "receive-ack", touches [Transmit], then [UpdateRecord];
    /// Updates the record of the acknowledged message.
    UpdateRecord = "update-record", touches [Transmit], then [SendBookkeeping];
    /// Finds the posted receive for a frame ("classify frame").
    ReceiveBookkeeping = "receive-bookkeeping", touches [Receives, Arriving], then [ReceiveFrame];
    /// Records a frame ("process frame").
    ReceiveFrame = "receive-frame", touches [Arriving, Acknowledgements], then [ReceiveDma, SendAck];
    /// Moves a frame to the host ("receiving").
    ReceiveDma = "receive-dma", touches [Arriving], then [];
    /// Sends an acknowledgement.
    SendAck = "send-ack", touches [Acknowledgements], then [];
}
