//! An endpoint without a NIC, a user or a clock, on which natives take effect at once (`jive exec`).

use std::convert::Infallible;

use jive_core::{Heap, NativeId, Natives, TrapKind};
use nic_core::event::Made;
use nic_core::id::{ChannelId, DirectionId, EndpointId, NicId, PacketId, packet_number};
use nic_core::memory::HostSpan;
use nic_core::sle::{ArraySpan, NicNative, Port, Rights, check, perform};
use nic_core::time::{SimDuration, SimTime};
use nic_core::unet::{Channel, QueueSizes};

use super::{host_to_nic, nic_to_host};
use crate::memory::HostMemory;
use crate::storage::Growing;
use crate::storage::{Channels, Endpoint, FreeQueue};

/// The sizes of a [`DetachedEndpoint`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DetachedShape {
    /// Bytes of the buffer area.
    pub buffer_area: u32,
    /// Number of free buffers.
    pub free_buffer_count: u32,
    /// Length of a free buffer in bytes.
    pub free_buffer_length: u32,
    /// Descriptors of the receive queue.
    pub rx_queue: u32,
    /// Maximum number of bytes of a packet.
    pub max_packet: u32,
}

impl Default for DetachedShape {
    /// The defaults of a scenario's endpoint under `lanai-1998` (docs/simulation.md).
    fn default() -> DetachedShape {
        DetachedShape {
            buffer_area: 65_536,
            free_buffer_count: 8,
            free_buffer_length: 4096,
            rx_queue: 64,
            max_packet: 9216,
        }
    }
}

/// An endpoint with a buffer area and queues, but without a NIC. Usually a detached endpoint has no channel, so
/// `txPush` always traps. Packets that an applet sends on a channel of a detached endpoint are lost.
///
/// No user empties the receive queue of a detached endpoint. When the receive queue is full, descriptors are dropped
/// and their buffers are freed, as on a NIC.
#[derive(Clone, Debug)]
pub struct DetachedEndpoint {
    endpoint: Endpoint,
    memory: HostMemory,
}

impl DetachedEndpoint {
    /// Returns an endpoint whose buffers are all free and whose buffer area is zero.
    #[must_use]
    pub fn new(shape: DetachedShape) -> DetachedEndpoint {
        let mut memory = HostMemory::new();
        let area = memory.pin(shape.buffer_area);
        let free = FreeQueue::new(shape.free_buffer_count, shape.free_buffer_length);
        let queues = QueueSizes {
            transmit: 0,
            receive: shape.rx_queue,
        };
        DetachedEndpoint {
            endpoint: Endpoint::new((NicId(0), shape.max_packet), area, free, queues),
            memory,
        }
    }

    /// Returns an endpoint with one channel, in the final state of a run: `area` is its buffer area and `free` its free
    /// queue.
    #[must_use]
    pub fn resumed(
        shape: DetachedShape,
        channel: ChannelId,
        (area, free): (&[u8], &[u32]),
    ) -> DetachedEndpoint {
        let mut resumed = DetachedEndpoint::new(shape);
        let DetachedEndpoint { endpoint, memory } = &mut resumed;
        endpoint.channels = Channels::new([Channel {
            id: channel,
            peer: EndpointId(1),
            peer_id: channel,
            route: DirectionId(0),
        }]);
        let whole = i64::try_from(area.len()).map(|length| endpoint.area.span(0, length));
        if let Ok(Ok(whole)) = whole {
            memory.bytes_mut(whole).copy_from_slice(area);
        }
        // Make the user hold every buffer, and then return the buffers of `free` in their order.
        while let Some(offset) = endpoint.free.pop() {
            endpoint.free.name(offset);
        }
        for offset in free {
            endpoint.free.put_back(*offset);
        }
        resumed
    }

    /// Returns the endpoint.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Returns the bytes of the buffer area.
    #[must_use]
    pub fn area(&self) -> &[u8] {
        self.memory.region(self.endpoint.area)
    }

    /// Must be called when an applet's call returns: the applet keeps the popped buffers that the call did not name.
    pub fn call_returned(&mut self) {
        self.endpoint.free.keep_popped();
    }

    /// Must be called when an applet's call traps: frees the popped buffers that the call did not name.
    pub fn call_trapped(&mut self) {
        self.endpoint.free.return_popped();
    }
}

impl Default for DetachedEndpoint {
    fn default() -> DetachedEndpoint {
        DetachedEndpoint::new(DetachedShape::default())
    }
}

impl Natives for DetachedEndpoint {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let rights = Rights::of(&self.endpoint);
        let native = NicNative::from_id(id).ok_or(TrapKind::Unverified)?;
        let effect = check(native, args, heap, &rights)?;
        let mut port = AtOnce {
            endpoint: &mut self.endpoint,
            memory: &mut self.memory,
            heap,
        };
        let Ok(returned) = perform(effect, &mut port);
        returned
    }
}

/// Performs natives at once and emits no events.
struct AtOnce<'e, 'h, 'm> {
    endpoint: &'e mut Endpoint,
    memory: &'e mut HostMemory,
    heap: &'h mut Heap<'m>,
}

impl Port for AtOnce<'_, '_, '_> {
    type Storage = Growing;
    type Packet = ();
    type Stop = Infallible;

    fn with<R>(&mut self, then: impl FnOnce(&mut Endpoint, &mut Heap<'_>) -> R) -> R {
        then(self.endpoint, self.heap)
    }

    fn handled(&self) -> Option<PacketId> {
        None
    }

    fn fetch(&mut self, to: ArraySpan, host: HostSpan) -> Result<(), Infallible> {
        host_to_nic(self.heap, to, self.memory, host);
        Ok(())
    }

    fn store(&mut self, from: ArraySpan, host: HostSpan) -> Result<(), Infallible> {
        nic_to_host(self.heap, from, self.memory, host);
        Ok(())
    }

    // If a detached endpoint has no channel, no send passes the check. If a detached endpoint has a channel, the packet
    // is lost at once.
    fn make(&mut self, _: ArraySpan, _: Channel) -> Result<(PacketId, ()), Infallible> {
        Ok((packet_number(EndpointId(0), 0), ()))
    }

    fn send(&mut self, (): ()) -> Result<(), Infallible> {
        Ok(())
    }

    fn publish(&mut self) -> Result<(), Infallible> {
        self.endpoint.receive.publish();
        Ok(())
    }

    fn refuse(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    // A detached endpoint has no clock, no caller for `doTimer`, and no trace.
    fn now(&self) -> SimTime {
        SimTime::ZERO
    }

    fn set_timer(&mut self, _: SimDuration) -> Result<(), Infallible> {
        Ok(())
    }

    fn note(&mut self, _: i32, _: i32) -> Result<(), Infallible> {
        Ok(())
    }

    fn tell(&mut self, _: i32, _: Made) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jive_core::ArrayKind;
    use nic_core::sle::NicNative;

    use super::*;

    struct Bench {
        endpoint: DetachedEndpoint,
        memory: Vec<u8>,
    }

    impl Bench {
        fn new() -> Bench {
            Bench {
                endpoint: DetachedEndpoint::default(),
                memory: vec![0; 1 << 16],
            }
        }

        fn run<T>(&mut self, body: impl FnOnce(&mut DetachedEndpoint, &mut Heap<'_>) -> T) -> T {
            body(&mut self.endpoint, &mut Heap::new(&mut self.memory))
        }
    }

    #[test]
    fn dma_moves_bytes_both_ways() {
        Bench::new().run(|endpoint, heap| {
            let array = endpoint
                .call(NicNative::NewAlignedArray.id(), &[16], heap)
                .unwrap();
            heap.bytes_mut(array)
                .unwrap()
                .copy_from_slice(b"0123456789abcdef");
            let to_host = NicNative::DoLtoHDma.id();
            assert_eq!(endpoint.call(to_host, &[array, 10, 65_530, 6], heap), Ok(0));
            assert_eq!(&endpoint.area()[65_530..], b"abcdef");
            let to_nic = NicNative::DoHtoLDma.id();
            assert_eq!(endpoint.call(to_nic, &[array, 0, 65_531, 5], heap), Ok(0));
            assert_eq!(heap.bytes(array).unwrap(), b"bcdef56789abcdef");
        });
    }

    #[test]
    fn free_buffers_run_out_and_come_back_with_a_trap() {
        Bench::new().run(|endpoint, heap| {
            let pop = NicNative::GetFreeBuffer.id();
            let popped: Vec<i32> = (0..9)
                .map(|_| endpoint.call(pop, &[], heap).unwrap())
                .collect();
            assert_eq!(
                popped,
                [0, 4096, 8192, 12_288, 16_384, 20_480, 24_576, 28_672, -1]
            );
            endpoint.call_trapped();
            assert_eq!(endpoint.call(pop, &[], heap), Ok(0));
        });
    }

    #[test]
    fn null_comes_before_every_other_mistake() {
        Bench::new().run(|endpoint, heap| {
            for (native, args) in [
                (NicNative::DoHtoLDma, [0, -1, -1, -1]),
                (NicNative::DoLtoHDma, [0, i32::MAX, i32::MAX, i32::MAX]),
                (NicNative::TxPush, [0, -1, 99, -1]),
            ] {
                let outcome = endpoint.call(native.id(), &args, heap);
                assert_eq!(outcome, Err(TrapKind::NullPointerException), "{native:?}");
            }
            let make = NicNative::NewAlignedArray.id();
            assert_eq!(
                endpoint.call(make, &[-1], heap),
                Err(TrapKind::NegativeArraySizeException)
            );
            assert_eq!(
                endpoint.call(make, &[i32::MAX], heap),
                Err(TrapKind::OutOfMemoryError)
            );
        });
    }

    #[test]
    fn descriptors_need_room_for_each_share() {
        Bench::new().run(|endpoint, heap| {
            let offsets = heap.allocate(ArrayKind::Int, 2).unwrap();
            let set = |heap: &mut Heap<'_>, first: i32, second: i32| {
                let bytes = heap.bytes_mut(offsets).unwrap();
                bytes[..4].copy_from_slice(&first.to_le_bytes());
                bytes[4..].copy_from_slice(&second.to_le_bytes());
            };
            let push = NicNative::DmaRxd.id();
            let fault = Err(TrapKind::ProtectionFault);
            // The descriptor has a share of 4,096 bytes and a share of 4 bytes.
            set(heap, 61_440, 65_532);
            assert_eq!(endpoint.call(push, &[offsets, 1, 4100], heap), Ok(0));
            assert_eq!(endpoint.call(push, &[offsets, 1, 4101], heap), fault);
            set(heap, 61_441, 0);
            assert_eq!(endpoint.call(push, &[offsets, 1, 4096], heap), fault);
            assert_eq!(endpoint.call(push, &[offsets, 1, 8193], heap), fault);
            set(heap, 65_536, -1);
            assert_eq!(endpoint.call(push, &[offsets, 1, 0], heap), Ok(0));
            assert_eq!(endpoint.call(push, &[offsets, 1, -1], heap), fault);
            let none = heap.allocate(ArrayKind::Int, 0).unwrap();
            assert_eq!(endpoint.call(push, &[none, 1, 0], heap), fault);
        });
    }

    #[test]
    fn a_descriptor_that_finds_no_room_frees_its_buffers() {
        Bench::new().run(|endpoint, heap| {
            let payload = heap.allocate(ArrayKind::Byte, 57).unwrap();
            let carry = NicNative::DmaRxdPayload.id();
            let fault = Err(TrapKind::ProtectionFault);
            assert_eq!(endpoint.call(carry, &[payload, 1, 57], heap), fault);
            for _ in 0..64 {
                assert_eq!(endpoint.call(carry, &[payload, 1, 56], heap), Ok(0));
            }
            let pop = NicNative::GetFreeBuffer.id();
            let offsets = heap.allocate(ArrayKind::Int, 1).unwrap();
            assert_eq!(endpoint.call(pop, &[], heap), Ok(0));
            assert_eq!(
                endpoint.call(NicNative::DmaRxd.id(), &[offsets, 1, 9], heap),
                Ok(0)
            );
            endpoint.call_returned();
            assert_eq!(
                endpoint.call(pop, &[], heap),
                Ok(0),
                "free again, and first"
            );
        });
    }
}
