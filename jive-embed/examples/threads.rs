//! Example: one class, eight instances on eight threads. `cargo run -p jive-embed --example threads`.

use std::thread;

use jive_embed::{Instance, Limits, Method, NoNatives, Value, load};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Counts how often an instance, which this thread owns, accepts a packet.
fn accepted(accept: Method, mut filter: Instance<NoNatives>, first: u8) -> Result<i32, Error> {
    let packet = filter.bytes_from(&[first])?;
    let mut accepted = 0;
    for _ in 0..1000 {
        let returned = filter.call(accept, &[packet.into(), 1.into()])?;
        accepted += i32::from(returned.value == Some(Value::Int(1)));
    }
    Ok(accepted)
}

fn main() -> Result<(), Error> {
    let class = load(include_bytes!("Filter.class"), &[])?;
    let accept = class.method("accept", "([BI)Z")?;
    let threads = (b'a'..=b'h').map(|first| {
        let instance = class.instantiate(Limits::default(), NoNatives);
        thread::spawn(move || accepted(accept, instance?, first))
    });
    for thread in threads.collect::<Vec<_>>() {
        println!("{}", thread.join().map_err(|_| "it panicked")??);
    }
    Ok(())
}
