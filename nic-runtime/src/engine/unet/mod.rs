//! U-Net in the simulator: the engine that serves its endpoints.

pub(crate) mod engine;

pub(crate) use self::engine::Unet;
