//! The program `c/filter.c` in Rust, as an oracle of what the C one prints: `cargo run -p jive-c --example c_filter`.

use std::mem::MaybeUninit;

use jive_core::{
    ArrayKind, Heap, Lifetime, NativeDecl, NativeId, NativeParameter, NativeType, Natives, TrapKind,
};
use jive_load::{Room, Storage, initialize, load};
use jive_verifier::Policy;

const FUEL: u64 = 10_000;

/// Reports the packets that are dropped.
struct Report;

const NATIVES: &[NativeDecl<'static>] = &[NativeDecl {
    class: "Filter",
    name: "report",
    parameters: &[
        NativeParameter {
            name: "packet",
            kind: NativeType::ByteArray,
        },
        NativeParameter {
            name: "length",
            kind: NativeType::Int,
        },
    ],
    result: Some(NativeType::Int),
}];

impl Natives for Report {
    fn call(&mut self, _: NativeId, args: &[i32], heap: &mut Heap<'_>) -> Result<i32, TrapKind> {
        let &[packet, length] = args else {
            return Err(TrapKind::ProtectionFault);
        };
        let bytes = heap.bytes(packet).ok_or(TrapKind::ProtectionFault)?;
        let length = usize::try_from(length).map_err(|_| TrapKind::ProtectionFault)?;
        let bytes = bytes.get(..length).ok_or(TrapKind::ProtectionFault)?;
        println!("{:8} {}", "reported", bytes.escape_ascii());
        Ok(1)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut memory, mut scratch) = ([MaybeUninit::uninit(); 8192], [MaybeUninit::uninit(); 4096]);
    let (storage, scratch) = (Storage::new(&mut memory), Storage::new(&mut scratch));
    let bytes = include_bytes!("../c/Filter.class");
    let class = load(bytes, Policy::ClassOnly, NATIVES, &storage, &scratch)?;
    let room = Room {
        heap_bytes: 1600,
        nested_calls: 4,
    };
    let (mut filter, mut stack) = storage.instance(&class, room)?;
    initialize(&mut filter, &mut stack, FUEL, &mut Report)?;
    let accept = class.method("accept").ok_or("expected a method `accept`")?;
    let buffer = filter.heap_mut().allocate(ArrayKind::Byte, 1500)?;
    for packet in [&b"hello"[..], b"x", b"", b"hi", b"UP"] {
        let memory = filter.heap_mut().bytes_mut(buffer);
        let memory = memory.ok_or("the buffer is an array")?;
        memory[..packet.len()].copy_from_slice(packet);
        let arguments = [buffer, i32::try_from(packet.len())?];
        let per_call = Lifetime::PerCall;
        let verdict = filter.call(&mut stack, accept, &arguments, FUEL, per_call, &mut Report)?;
        let verdict = match verdict {
            Some(1) => "accepted",
            _ => "dropped",
        };
        println!("{verdict:8} {}", packet.escape_ascii());
    }
    Ok(())
}
