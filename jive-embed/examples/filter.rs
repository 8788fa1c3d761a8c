//! Example: a class file compiled by `javac` filters packets. `cargo run -p jive-embed --example filter`.

use jive_embed::{Limits, NoNatives, Value, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let packets: [&[u8]; 4] = [b"hello", b"x", b"", b"hi"];
    let class = load(include_bytes!("Filter.class"), &[])?;
    let accept = class.method("accept", "([BI)Z")?;
    let dropped = class.field::<i32>("dropped")?;
    let mut filter = class.instantiate(Limits::default(), NoNatives)?;
    let buffer = filter.bytes_from(&[0; 1500])?;
    for packet in packets {
        let length = i32::try_from(packet.len())?;
        let memory = filter.bytes_mut(buffer).ok_or("the buffer is an array")?;
        memory[..packet.len()].copy_from_slice(packet);
        let returned = filter.call(accept, &[buffer.into(), length.into()])?;
        let verdict = if returned.value == Some(Value::Int(1)) {
            "accepted"
        } else {
            "dropped"
        };
        println!("{verdict:8} {}", packet.escape_ascii());
    }
    println!("{} dropped", filter.get(dropped)?);
    Ok(())
}
