//! Example: a class file compiled by `javac` filters packets. `cargo run -p jive-embed --example filter`.

use jive_core::NoNatives;
use jive_embed::{Limits, Value, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let packets: [&[u8]; 4] = [b"hello", b"x", b"", b"hi"];
    let class = load(include_bytes!("Filter.class"), &[])?;
    let mut filter = class.instantiate(Limits::default(), NoNatives)?;
    let buffer = filter.bytes_from(&[0; 1500])?;
    for packet in packets {
        let length = i32::try_from(packet.len())?;
        let memory = filter.bytes_mut(buffer).ok_or("the buffer is an array")?;
        memory[..packet.len()].copy_from_slice(packet);
        let accepted = filter.call("accept", &[Value::Array(buffer), Value::Int(length)])?;
        let verdict = if accepted == Some(Value::Int(1)) {
            "accepted"
        } else {
            "dropped"
        };
        println!("{verdict:8} {}", packet.escape_ascii());
    }
    println!("{} dropped", filter.int_field("dropped").unwrap_or(0));
    Ok(())
}
