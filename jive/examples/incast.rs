//! Prints what many senders to one receiver achieve over five interfaces, and draws it into a directory if one is given:
//! `cargo run --release -p jive --example incast -- docs/figures`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use jive::incast::{INTERFACES, SENDERS, drawings, study};
use jive::paper::draw;

fn main() -> Result<(), Box<dyn Error>> {
    let study = study()?;
    if let Some(directory) = env::args_os().nth(1).map(PathBuf::from) {
        fs::create_dir_all(&directory)?;
        for drawing in &drawings(&study) {
            let file = directory.join(format!("{}.svg", drawing.name()));
            fs::write(&file, draw(drawing)?)?;
        }
    }
    println!("senders  interface      MB/s  served  dropped of packets");
    for (interface, of_interface) in INTERFACES.into_iter().zip(&study) {
        for (senders, found) in (1..=SENDERS).zip(of_interface) {
            if !senders.is_power_of_two() {
                continue;
            }
            println!(
                "{senders:>7}  {:<12} {:>3}.{:02}  {:>6}  {} of {}",
                interface.name(),
                found.goodput / 1_000_000,
                found.goodput / 10_000 % 100,
                found.served,
                found.dropped,
                found.packets
            );
        }
    }
    Ok(())
}
