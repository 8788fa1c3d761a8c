//! The handlers of the applet `RawUnet` with natives that do nothing, interpreted and as printed code.

use std::hint::black_box;

use bumpalo::Bump;
use jive_core::{
    ArrayKind, CallStack, FieldId, Frame, Heap, Instance, Lifetime, MethodId, NativeId, Natives,
    Program, Trap, TrapKind, compiled,
};
use jive_embed::load_class;
use jive_verifier::Policy;
use nic_core::sle::NicNative;
use serde::Serialize;

use crate::clock::{median, time};
use crate::peer::PeerError;

/// Packets in a round.
const PACKETS: i32 = 20_000;

/// Rounds, in each of which both run.
const ROUNDS: usize = 15;

/// Length of the longest packet, in bytes.
const PACKET_BYTES: i32 = 9216;

const FUEL: u64 = 100_000;

/// The times of `doTx` and `doRx` together, in which the applet calls five natives.
#[derive(Clone, Debug, Serialize)]
pub struct Handlers {
    /// Nanoseconds in the interpreter.
    pub interpreted_ns: f64,
    /// Nanoseconds in printed code.
    pub printed_ns: f64,
    /// The second by the first, the median over rounds.
    pub ratio: f64,
}

/// Natives that do what the constructor needs, and else nothing.
struct Nothing;

impl Natives for Nothing {
    fn call(&mut self, id: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        match (id, args) {
            (NEW_ARRAY, &[length]) => heap.allocate(ArrayKind::Byte, length),
            (BUFFER_LENGTH, _) => Ok(2048),
            _ => Ok(0),
        }
    }
}

const NEW_ARRAY: NativeId = NativeId(NicNative::NewAlignedArray as u16);
const BUFFER_LENGTH: NativeId = NativeId(NicNative::GetFreeBufferLength as u16);

type Call = fn(
    &mut Instance<'_>,
    &mut CallStack<'_>,
    MethodId,
    &[i32],
    u64,
    Lifetime,
    &mut Nothing,
) -> Result<Option<i32>, Trap>;

/// An instance of the applet.
struct Applet<'a> {
    instance: Instance<'a>,
    stack: CallStack<'a>,
    call: Call,
}

impl<'a> Applet<'a> {
    fn new(
        arena: &'a Bump,
        program: Program<'a>,
        buffer: FieldId,
        call: Call,
    ) -> Result<Self, PeerError> {
        let fields = arena.alloc_slice_fill_copy(program.field_count(), 0);
        let heap = Heap::new(arena.alloc_slice_fill_copy(64 << 10, 0));
        let frames = arena.alloc_slice_fill_copy(16, Frame::default());
        let slots = arena.alloc_slice_fill_copy(program.slots_for(16), 0);
        let mut applet = Applet {
            instance: Instance::new(program, fields, heap),
            stack: CallStack::new(frames, slots),
            call,
        };
        for method in program.initializers() {
            applet.call(method, &[], Lifetime::Persistent)?;
        }
        let packet = applet
            .instance
            .heap_mut()
            .allocate(ArrayKind::Byte, PACKET_BYTES);
        let packet = packet.map_err(|kind| kind.name())?;
        applet.instance.set_field(buffer, packet);
        Ok(applet)
    }

    fn call(&mut self, method: MethodId, args: &[i32], of: Lifetime) -> Result<i32, PeerError> {
        let Applet {
            instance,
            stack,
            call,
        } = self;
        let returned = call(instance, stack, method, args, FUEL, of, &mut Nothing);
        let returned = returned.map_err(|trap| trap.kind.name())?;
        Ok(returned.unwrap_or(0))
    }

    /// Returns the nanoseconds of a packet sent and one received.
    fn round(&mut self, send: MethodId, receive: MethodId) -> Result<f64, PeerError> {
        let mut failed = None;
        let taken = time(|| {
            for number in 0..PACKETS {
                let length = black_box(100 + number % 16);
                let sent = self.call(send, &[length, 1, 0], Lifetime::PerCall);
                let received = self.call(receive, &[length, 1], Lifetime::PerCall);
                failed = sent.and(received).err();
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(taken.as_secs_f64() * 1e9 / f64::from(PACKETS)),
        }
    }
}

impl Handlers {
    /// Measures both in turns.
    ///
    /// # Errors
    ///
    /// Returns the trap in which a call ended.
    pub fn measure() -> Result<Handlers, PeerError> {
        let arena = Bump::new();
        let class = applets::RAW_UNET.class;
        let loaded = load_class(&arena, class, Policy::ClassOnly, NicNative::TABLE)?;
        let method = |name| loaded.method(name).ok_or("RawUnet has both handlers");
        let (send, receive) = (method("doTx")?, method("doRx")?);
        let mut fields = loaded.class.fields();
        let buffer = fields.find(|field| field.name == "RxBuf");
        let buffer = buffer.ok_or("RawUnet has a buffer for packets")?.id;
        let mut interpreted =
            Applet::new(&arena, loaded.program, buffer, |i, s, m, a, f, l, n| {
                i.call(s, m, a, f, l, n)
            })?;
        let call = compiled::call::<printed::raw_unet::Code, Nothing>;
        let mut printed = Applet::new(&arena, printed::raw_unet::PROGRAM, buffer, call)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            theirs.push(interpreted.round(send, receive)?);
            ours.push(printed.round(send, receive)?);
        }
        let ratios = ours.iter().zip(&theirs).map(|(ours, theirs)| ours / theirs);
        Ok(Handlers {
            ratio: median(ratios.collect()),
            interpreted_ns: median(theirs),
            printed_ns: median(ours),
        })
    }
}

/// What the build script printed.
mod printed {
    include!(concat!(env!("OUT_DIR"), "/raw_unet.rs"));
}
