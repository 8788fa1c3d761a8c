//! Scenarios of the laws, as text.

use std::fmt::Write as _;

use jive_lab::Random;
use nic_runtime::spec::Scenario;
use tests::simulation::scenario;

/// A scenario that is being written. Each endpoint is on a separate NIC, and its place is the number in its name.
pub(crate) struct Network {
    text: String,
    endpoints: usize,
}

impl Network {
    pub(crate) fn new() -> Network {
        Network {
            text: "until = \"100000s\"\nmax_bytecodes = 20000000000\n".to_owned(),
            endpoints: 0,
        }
    }

    /// Runs the scenario under a built-in profile. Must come before all other parts.
    pub(crate) fn profile(&mut self, name: &str) {
        self.text.insert_str(0, &format!("profile = \"{name}\"\n"));
    }

    /// Adds an endpoint with further keys to the scenario, and returns its place.
    pub(crate) fn endpoint(&mut self, keys: &str) -> usize {
        let place = self.endpoints;
        write!(
            self.text,
            "[[nic]]\nname = \"n{place}\"\nsram = \"8MiB\"\n\
             [[endpoint]]\nnic = \"n{place}\"\nname = \"e{place}\"\n{keys}\n"
        )
        .expect("a string takes all that is written");
        self.endpoints += 1;
        place
    }

    /// Adds a channel between two endpoints.
    pub(crate) fn channel(&mut self, a: (usize, i32), b: (usize, i32)) {
        let text = format!("[[channel]]\ne{} = {}\ne{} = {}\n", a.0, a.1, b.0, b.1);
        self.text.push_str(&text);
    }

    /// Sets the faults of the link between two endpoints.
    pub(crate) fn link(&mut self, a: usize, b: usize, faults: &str) {
        let text = format!("[[link]]\nbetween = [\"n{a}\", \"n{b}\"]\n{faults}\n");
        self.text.push_str(&text);
    }

    /// Adds a message to send.
    pub(crate) fn send(&mut self, from: usize, channel: i32, at_us: usize, payload: &[u8]) {
        let mut hex = String::new();
        for byte in payload {
            write!(hex, "{byte:02x}").expect("a string takes all that is written");
        }
        write!(
            self.text,
            "[[send]]\nendpoint = \"e{from}\"\nchannel = {channel}\nat = \"{at_us}us\"\n\
             payload = {{ hex = \"{hex}\" }}\n"
        )
        .expect("a string takes all that is written");
    }

    pub(crate) fn scenario(&self, seed: u64) -> Scenario {
        scenario(&self.text, None, Some(seed))
    }
}

/// Returns a pause in microseconds after which an applet's clock has wrapped, or its sign has changed. Often this is one
/// microsecond too short or too long, or up to `near` of them.
pub(crate) fn idle(random: &mut Random, near: usize) -> usize {
    let wrap = [1 << 31, 1 << 32, 3 << 31, 1 << 33][random.below(4)];
    match random.below(4) {
        0 => wrap,
        1 => wrap - 1,
        2 => wrap + 1,
        _ => wrap - near + random.below(2 * near),
    }
}

/// Returns a pause of a stream of messages: an idle time of the clock in one draw of 20, and otherwise what `pause` draws.
pub(crate) fn pause(
    random: &mut Random,
    near: usize,
    pause: impl FnOnce(&mut Random) -> usize,
) -> usize {
    if random.one_in(20) {
        idle(random, near)
    } else {
        pause(random)
    }
}

/// Returns the generator of a law's seed.
pub(crate) fn random(law: &str, seed: u64) -> Random {
    Random::new(format!("{law} {seed}").as_bytes())
}

/// Returns a number of bytes below `bound`: often few, and often on the border between a descriptor and a buffer.
pub(crate) fn length(random: &mut Random, bound: usize) -> usize {
    match random.below(4) {
        0 => random.below(bound.min(8)),
        1 => (54 + random.below(5)).min(bound - 1),
        _ => random.below(bound),
    }
}
