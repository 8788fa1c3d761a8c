//! U-Net: endpoints whose queues grow with what is in use, and the engine that serves them.

pub(crate) mod engine;

use crate::storage::Growing;

/// An endpoint as its NIC and its user share it.
pub type Endpoint = nic_core::unet::Endpoint<Growing>;

/// The free buffers of an endpoint.
pub type FreeQueue = nic_core::unet::FreeQueue<Growing>;

/// The channels of an endpoint.
pub type Channels = nic_core::unet::Channels<Growing>;
