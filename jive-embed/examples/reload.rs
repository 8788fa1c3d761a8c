//! Example: a new version of a class takes over from the running one. `cargo run -p jive-embed --example reload`.

use std::error::Error;

use jive_embed::{Instance, Limits, LoadedClass, NoNatives, State, load};

struct Running(LoadedClass, Instance<NoNatives>);

/// Starts a version with the totals of the running one. If it is refused, the other still runs.
fn start(bytes: &[u8], old: Option<&Running>) -> Result<Running, Box<dyn Error>> {
    let class = load(bytes, &[])?;
    let mut state = State::default();
    if let Some(Running(old, instance)) = old {
        let totals = instance.get_array(old.field::<[i32]>("totals")?)?;
        state = state.with_array(class.field("totals")?, &totals.unwrap_or_default());
    }
    let instance = class.instantiate_with(&state, Limits::default(), NoNatives)?;
    Ok(Running(class, instance))
}

fn main() -> Result<(), Box<dyn Error>> {
    let first = include_bytes!("version1/Counter.class");
    let second = include_bytes!("version2/Counter.class");
    let mut running = start(first, None)?;
    for version in [&first[..], second, b"no class file"] {
        match start(version, Some(&running)) {
            Ok(new) => running = new,
            Err(error) => println!("{error}"),
        }
        let count = running.0.method("count", "(I)I")?;
        println!("{:?}", running.1.call(count, &[3.into()])?);
    }
    Ok(())
}
