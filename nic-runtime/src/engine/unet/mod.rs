//! U-Net in the simulator: endpoints whose queues grow, and the engine that serves them.

pub(crate) mod engine;

use crate::storage::Growing;

/// The state of a U-Net endpoint that the NIC and the user share.
pub type Endpoint = nic_core::unet::Endpoint<Growing>;

/// The free queue of a U-Net endpoint.
pub type FreeQueue = nic_core::unet::FreeQueue<Growing>;

/// The channel table of a U-Net endpoint.
pub type Channels = nic_core::unet::Channels<Growing>;
