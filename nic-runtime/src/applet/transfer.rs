//! Copies bytes between a buffer area and an applet's array.

use jive_core::Heap;
use nic_core::memory::HostSpan;
use nic_core::sle::ArraySpan;

use crate::memory::HostMemory;

/// Copies bytes from the buffer area into an array.
pub(crate) fn host_to_nic(heap: &mut Heap<'_>, to: ArraySpan, memory: &HostMemory, host: HostSpan) {
    to.bytes_mut(heap).copy_from_slice(memory.bytes(host));
}

/// Copies bytes from an array into the buffer area.
pub(crate) fn nic_to_host(
    heap: &Heap<'_>,
    from: ArraySpan,
    memory: &mut HostMemory,
    host: HostSpan,
) {
    memory.bytes_mut(host).copy_from_slice(from.bytes(heap));
}
