//! Messages in several pieces: the segments of a send descriptor.
//!
//! The user's payload is in one place of the VI's registered region. The descriptor's segments name pieces of the
//! payload, which the provider joins to the message.

use nic_core::id::{EndpointId, PostId};
use nic_core::memory::{HostSpan, Region};
use nic_core::remote::WindowId;
use nic_core::via::Target;

use super::state::ViaState;
use crate::memory::HostMemory;
use crate::spec::SendSpec;

/// Returns the span that the descriptor of a message names: the place of its payload, with the length of the message.
pub(super) fn described(spec: &SendSpec, area: Region, payload: HostSpan) -> HostSpan {
    if spec.segments.is_empty() {
        return payload;
    }
    let length: i64 = spec
        .segments
        .iter()
        .map(|(_, length)| i64::from(*length))
        .sum();
    // The reader of scenarios has checked that the message is not longer than its payload.
    area.span(payload.offset().into(), length)
        .unwrap_or(payload)
}

impl ViaState {
    /// Returns the pieces of the message that a send descriptor names, in order.
    pub(super) fn pieces(
        &self,
        id: EndpointId,
        post: PostId,
        (area, message): (Region, HostSpan),
    ) -> Vec<HostSpan> {
        let extras = self.end(id).and_then(|end| end.extras.get(&post));
        if let Some(named) = extras.and_then(|extras| extras.named.as_deref()) {
            let pieces = named.spans.iter().copied();
            return pieces.filter(|piece| piece.length() > 0).collect();
        }
        let segments = extras.map_or(&[][..], |extras| &extras.segments);
        if segments.is_empty() {
            return vec![message];
        }
        let pieces = segments.iter().filter_map(|&(offset, length)| {
            let start = i64::from(message.offset()) + i64::from(offset);
            area.span(start, length.into()).ok()
        });
        pieces.filter(|piece| piece.length() > 0).collect()
    }
}

/// Returns the bytes of a message that consists of these pieces.
pub(super) fn joined(memory: &HostMemory, pieces: &[HostSpan]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        bytes.extend_from_slice(memory.bytes(*piece));
    }
    bytes
}

/// Divides the pieces of a message among the shares of its target in the peer's memory. Returns the window, the offset
/// in the window and the bytes of each part.
pub(super) fn divided(pieces: &[HostSpan], target: &Target) -> Vec<(WindowId, u32, HostSpan)> {
    let mut parts = Vec::new();
    let mut pieces = pieces.iter().copied();
    let mut piece: Option<HostSpan> = None;
    for share in &target.shares {
        let mut filled = 0;
        while filled < share.length {
            let Some(rest) = piece.take().or_else(|| pieces.next()) else {
                return parts;
            };
            let length = rest.length().min(share.length - filled);
            if let Some(part) = rest.part(0, length) {
                parts.push((share.window, share.offset + filled, part));
            }
            filled += length;
            if length < rest.length() {
                piece = rest.part(length, rest.length() - length);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use nic_core::via::Share;

    use super::*;

    #[test]
    fn pieces_fill_the_shares_of_a_target_in_order() {
        let area = Region::sole(100);
        let span = |offset, length| area.span(offset, length).expect("inside the area");
        let mut target = Target::default();
        for (window, offset, length) in [(0, 50, 4), (1, 0, 5)] {
            let share = Share {
                window: WindowId(window),
                offset,
                length,
            };
            target.shares.push(share).expect("two shares fit");
        }
        let parts = divided(&[span(10, 1), span(20, 6), span(40, 2)], &target);
        let parts: Vec<(u32, u32, u32, u32)> = parts
            .iter()
            .map(|(window, offset, part)| (window.0, *offset, part.offset(), part.length()))
            .collect();
        assert_eq!(
            parts,
            [(0, 50, 10, 1), (0, 51, 20, 3), (1, 0, 23, 3), (1, 3, 40, 2)]
        );
    }
}
