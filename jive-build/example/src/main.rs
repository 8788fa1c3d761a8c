// src/main.rs
include!(concat!(env!("OUT_DIR"), "/filter.rs"));

fn main() -> Result<(), jive_core::Trap> {
    let mut filter = filter::Filter::new(jive_core::NoNatives)?;
    let accepted = filter.accept(b"hello", 5)?;
    println!("{accepted}, for {} instructions", filter.unit().executed());
    Ok(())
}
