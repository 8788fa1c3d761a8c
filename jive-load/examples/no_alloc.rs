//! Filters packets without an allocator: `cargo run -p jive-load --example no_alloc`.

use std::mem::MaybeUninit;

use jive_core::{ArrayKind, Lifetime, NoNatives};
use jive_load::{Room, Storage, initialize, load};
use jive_verifier::Policy;

/// How many instructions each call may execute.
const FUEL: u64 = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let packets: [&[u8]; 4] = [b"hello", b"x", b"", b"hi"];
    let (mut memory, mut scratch) = ([MaybeUninit::uninit(); 4096], [MaybeUninit::uninit(); 2048]);
    let (storage, scratch) = (Storage::new(&mut memory), Storage::new(&mut scratch));
    let bytes = include_bytes!("Filter.class");
    let class = load(bytes, Policy::ClassOnly, &[], &storage, &scratch)?;
    let room = Room {
        heap_bytes: 1600,
        nested_calls: 4,
    };
    let (mut filter, mut stack) = storage.instance(&class, room)?;
    initialize(&mut filter, &mut stack, FUEL, &mut NoNatives)?;
    let accept = class.method("accept").ok_or("expected a method `accept`")?;
    let buffer = filter.heap_mut().allocate(ArrayKind::Byte, 1500)?;
    for packet in packets {
        let memory = filter
            .heap_mut()
            .bytes_mut(buffer)
            .ok_or("the buffer is an array")?;
        memory[..packet.len()].copy_from_slice(packet);
        let arguments = [buffer, i32::try_from(packet.len())?];
        let call = filter.call(
            &mut stack,
            accept,
            &arguments,
            FUEL,
            Lifetime::PerCall,
            &mut NoNatives,
        );
        let verdict = if call? == Some(1) {
            "accepted"
        } else {
            "dropped"
        };
        println!("{verdict:8} {}", packet.escape_ascii());
    }
    println!("{} bytes are left", storage.remaining());
    Ok(())
}
