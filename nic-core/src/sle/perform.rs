//! How natives take effect: the order of their effects is the same on every kind of NIC.
//!
//! [`check`](super::check) has turned a call into an [`Effect`] that the endpoint is entitled to. The caller of
//! [`perform`] has checked the quota of the call and has reserved slots for packets.

use jive_core::TrapKind;

use super::effect::Effect;
use super::port::Port;
use crate::report::Made;
use crate::unet::{Full, MessageBody, ReceiveDescriptor};

/// Performs the effect of a native on a port. Returns the native's result, or its trap.
///
/// # Errors
///
/// Returns the port's `Stop`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn perform<P: Port>(effect: Effect, port: &mut P) -> Result<Result<i32, TrapKind>, P::Stop> {
    match effect {
        Effect::Local(effect) => return effect.perform(port),
        Effect::HostToNic { to, host } => {
            port.fetch(to, host)?;
            port.tell(0, Made::Nothing)?;
        }
        Effect::NicToHost { from, host } => {
            port.tell(0, Made::Nothing)?;
            port.store(from, host)?;
        }
        Effect::Peek { into, offset } => {
            port.peek(into, offset)?;
            port.tell(0, Made::Nothing)?;
        }
        Effect::Send { from, channel } => {
            let (id, packet) = port.make(from, channel)?;
            port.tell(0, Made::Packet(id))?;
            port.send(packet)?;
        }
        Effect::Describe {
            offsets,
            channel,
            length,
        } => {
            let packet = port.handled();
            let pushed = port.with(
                #[cfg_attr(not(debug_assertions), inline(always))]
                |endpoint, heap| {
                    // `check` proved that the offsets of the shares are not negative and not more than a descriptor
                    // names.
                    let buffers = offsets.offsets(heap).map(i32::cast_unsigned);
                    endpoint.push_buffers((packet, channel, length), buffers)
                },
            );
            describe(port, pushed)?;
        }
        Effect::Carry { from, channel } => {
            if let Some(made) = port.placing(from.length()) {
                port.tell(0, made)?;
                port.place(from, channel)?;
                return Ok(Ok(0));
            }
            let packet = port.handled();
            let pushed = port.with(|endpoint, heap| {
                let body = MessageBody::inline(from.bytes(heap))?;
                Some(endpoint.receive.push(ReceiveDescriptor {
                    packet,
                    channel,
                    length: from.length(),
                    body,
                }))
            });
            let Some(pushed) = pushed else {
                return Ok(Err(TrapKind::Unverified));
            };
            describe(port, pushed)?;
        }
        Effect::WriteWindow { from, peer, offset } => {
            port.tell(0, Made::Nothing)?;
            port.write_window(from, peer, offset)?;
        }
        Effect::ReadWindow { into, peer, offset } => {
            port.tell(0, Made::Nothing)?;
            port.read_window(into, peer, offset)?;
        }
    }
    Ok(Ok(0))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn describe<P: Port, T>(port: &mut P, pushed: Result<(), Full<T>>) -> Result<(), P::Stop> {
    match pushed {
        Ok(()) => {
            port.tell(0, Made::Descriptor)?;
            port.publish()
        }
        Err(Full(_)) => {
            port.tell(0, Made::Nothing)?;
            port.refuse()
        }
    }
}
