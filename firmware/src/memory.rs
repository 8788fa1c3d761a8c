//! All memory of the firmware: reserved statically, and lent once.

use core::mem::MaybeUninit;

use jive_core::Frame;
use jive_core::limits::REGISTER_WINDOW;
use nic_core::sle::memory_bytes;
use static_cell::{ConstStaticCell, StaticCell};

/// Longest packet, in bytes, as in the profile `instructions.toml`.
pub(crate) const PACKET_BYTES_MAX: usize = 9216;

/// Heap for the applet's arrays without `RxBuf`, in bytes, as in the profile.
const HEAP_BYTES: u32 = 24 << 10;

/// Greatest depth of nested calls. As in the profile.
const FRAMES: usize = 16;

/// Slots for local variables and operands of nested calls, as in the profile. The slots of the register window after
/// the last frame are additional.
const SLOTS: usize = 256 + REGISTER_WINDOW;

/// Size of the endpoint's buffer area, in bytes. As in the scenarios.
pub(crate) const AREA_BYTES: usize = 32 << 10;

/// How many packets can wait for the NIC. Chosen: a request packet and its reply.
pub(crate) const ARRIVALS: usize = 2;

/// The bytes of a packet.
pub(crate) type PacketSlot = [u8; PACKET_BYTES_MAX];

/// Fields of an applet. Chosen.
const FIELDS_MAX: usize = 32;

/// Declares a struct of memory that the firmware lends to a part of the program.
macro_rules! lent {
    ($(
        $(#[doc = $owner_doc:literal])+
        $owner:ident {
            $($(#[doc = $doc:literal])+ $name:ident: [$element:ty; $count:expr] = $value:expr;)+
        }
    )+) => {$(
        $(#[doc = $owner_doc])+
        pub(crate) struct $owner {
            $($(#[doc = $doc])+ pub(crate) $name: &'static mut [$element],)+
        }

        impl $owner {
            /// Lends the memory. `lend` must be called only once.
            pub(crate) fn lend() -> $owner {
                $owner {
                    $($name: {
                        static CELL: StaticCell<[$element; $count]> = StaticCell::new();
                        CELL.init_with(|| [$value; $count])
                    },)+
                }
            }
        }
    )+};
}

lent! {
    /// Memory for an instance and its calls, besides the heap.
    InstanceMemory {
        /// Frames of nested calls.
        frames: [Frame; FRAMES] = Frame::default();
        /// Local variables and operands of nested calls.
        slots: [i32; SLOTS] = 0;
        /// Fields of the applet. Chosen.
        fields: [i32; FIELDS_MAX] = 0;
    }
}

/// Memory for an instance of a compiled class, whose calls need no more.
#[cfg(feature = "compiled")]
pub(crate) struct CompiledMemory {
    /// Fields of the applet.
    pub(crate) fields: &'static mut [i32],
    /// The applet's heap, with `RxBuf`.
    pub(crate) heap: &'static mut [u8],
}

#[cfg(feature = "compiled")]
impl CompiledMemory {
    /// Lends the memory. `lend` must be called only once.
    pub(crate) fn lend() -> CompiledMemory {
        const HEAP: usize = memory_bytes(HEAP_BYTES, PACKET_BYTES_MAX as u32);
        static FIELDS: ConstStaticCell<[i32; FIELDS_MAX]> = ConstStaticCell::new([0; FIELDS_MAX]);
        static HEAP_CELL: ConstStaticCell<[u8; HEAP]> = ConstStaticCell::new([0; HEAP]);
        CompiledMemory {
            fields: FIELDS.take(),
            heap: HEAP_CELL.take(),
        }
    }
}

/// Uninitialised memory.
type Bytes = [MaybeUninit<u8>];

/// Memory for loading a class. Chosen: twice the memory that the applet RawUnet needs.
pub(crate) struct LoadMemory {
    /// Memory for the linked class and for the parser's index.
    pub(crate) kept: &'static mut Bytes,
    /// Scratch memory for the verifier, and later for the linker.
    pub(crate) scratch: &'static mut Bytes,
}

impl LoadMemory {
    /// Lends the memory. `lend` must be called only once.
    pub(crate) fn lend() -> LoadMemory {
        static KEPT: ConstStaticCell<[MaybeUninit<u8>; 12 << 10]> =
            ConstStaticCell::new([MaybeUninit::zeroed(); 12 << 10]);
        static SCRATCH: ConstStaticCell<[MaybeUninit<u8>; 10 << 10]> =
            ConstStaticCell::new([MaybeUninit::zeroed(); 10 << 10]);
        LoadMemory {
            kept: KEPT.take(),
            scratch: SCRATCH.take(),
        }
    }
}

/// Memory of the NIC, whatever its applet is. `area_and_arrivals` must be called only once.
pub(crate) fn area_and_arrivals() -> (&'static mut [u8], &'static mut [PacketSlot]) {
    static AREA: ConstStaticCell<[u8; AREA_BYTES]> = ConstStaticCell::new([0; AREA_BYTES]);
    static ARRIVED: ConstStaticCell<[PacketSlot; ARRIVALS]> =
        ConstStaticCell::new([[0; PACKET_BYTES_MAX]; ARRIVALS]);
    (AREA.take(), ARRIVED.take())
}

/// Large zeroed arrays. The arrays of `Bulk` are constant-initialised, because a value made at run time would pass
/// through the stack.
pub(crate) struct Bulk {
    /// The class file.
    pub(crate) class: &'static mut [u8],
    /// The applet's heap, with `RxBuf`.
    pub(crate) heap: &'static mut [u8],
    /// The endpoint's buffer area.
    pub(crate) area: &'static mut [u8],
    /// Packets that wait for the NIC.
    pub(crate) arrivals: &'static mut [PacketSlot],
}

impl Bulk {
    /// Lends the memory. `lend` must be called only once.
    pub(crate) fn lend() -> Bulk {
        const HEAP: usize = memory_bytes(HEAP_BYTES, PACKET_BYTES_MAX as u32);
        static CLASS: ConstStaticCell<[u8; 16 << 10]> = ConstStaticCell::new([0; 16 << 10]);
        static HEAP_CELL: ConstStaticCell<[u8; HEAP]> = ConstStaticCell::new([0; HEAP]);
        let (area, arrivals) = area_and_arrivals();
        Bulk {
            class: CLASS.take(),
            heap: HEAP_CELL.take(),
            area,
            arrivals,
        }
    }
}
