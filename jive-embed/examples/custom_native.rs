//! Example: a class that calls a native of the embedding program. `cargo run -p jive-embed --example custom_native`.

use jive_core::{Heap, NativeId, Natives, TrapKind, natives};
use jive_embed::{CallError, Limits, Value, load};

natives! {
    /// The natives of this program.
    enum Measuring: "example/Host" {
        /// Returns the next measurement of a sensor.
        Measure = measure(sensor: Int) -> Int;
    }
}

/// Two sensors, each with its remaining measurements.
struct Sensors([std::vec::IntoIter<i32>; 2]);

impl Natives for Sensors {
    fn call(&mut self, id: NativeId, args: &[i32], _: &mut Heap<'_>) -> Result<i32, TrapKind> {
        match (Measuring::from_id(id), args) {
            (Some(Measuring::Measure), [sensor]) => {
                let sensor = usize::try_from(*sensor)
                    .ok()
                    .and_then(|at| self.0.get_mut(at));
                // If the class names an unknown sensor, that is its mistake, and the call of the native traps.
                sensor
                    .and_then(Iterator::next)
                    .ok_or(TrapKind::ProtectionFault)
            }
            _ => Err(TrapKind::ProtectionFault),
        }
    }

    /// Charges fuel for a measurement, in addition to the fuel for the call instruction.
    fn extra_fuel(&self, id: NativeId) -> u64 {
        match Measuring::from_id(id) {
            Some(Measuring::Measure) => 100,
            None => 0,
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let class = load(include_bytes!("Average.class"), Measuring::TABLE)?;
    let sensors = Sensors([vec![3, 5, 10].into_iter(), vec![7].into_iter()]);
    let mut average = class.instantiate(Limits::default(), sensors)?;
    let found = average.call("of", &[Value::Int(0), Value::Int(3)])?;
    println!("sensor 0: {found:?}");
    match average.call("of", &[Value::Int(1), Value::Int(2)]) {
        Err(CallError::Trap { trap }) => println!("sensor 1: {trap}"),
        other => println!("sensor 1: {other:?}"),
    }
    Ok(())
}
