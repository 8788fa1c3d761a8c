//! Example: a class calls a native that has an error of its own. `cargo run -p jive-embed --example custom_native`.

use jive_embed::{Heap, Host, HostError, Limits, NativeId, TrapKind, load, natives};

natives! {
    enum Measuring: "example/Host" {
        /// Returns the next measurement of a sensor.
        Measure = measure(sensor: Int) -> Int;
    }
}

/// The remaining measurements of sensor 0, last first.
struct Sensor(Vec<i32>);
#[derive(Debug, thiserror::Error)]
#[error("sensor 0 is silent")]
struct Silence;
type Answer = Result<i32, HostError<Silence>>;

impl Host for Sensor {
    type Error = Silence;

    fn call(&mut self, id: NativeId, args: &[i32], _: &mut Heap<'_>) -> Answer {
        match (Measuring::from_id(id), args) {
            (Some(Measuring::Measure), [0]) => self.0.pop().ok_or(HostError::Failed(Silence)),
            _ => Err(TrapKind::ProtectionFault.into()),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let class = load(include_bytes!("Average.class"), Measuring::TABLE)?;
    let of = class.method("of", "(II)I")?;
    let mut average = class.instantiate(Limits::default(), Sensor(vec![7, 10, 5, 3]))?;
    for (sensor, count) in [(0, 3), (0, 2), (1, 1)] {
        println!("{:?}", average.call(of, &[sensor.into(), count.into()]));
    }
    Ok(())
}
