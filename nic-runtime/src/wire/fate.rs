//! The faults that strike a packet, drawn from the packet's own random generator.

use nic_core::random::{Chance, Generator};

/// The probability of each fault of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The packet is lost.
    pub loss: Chance,
    /// The packet is sent twice.
    pub duplicate: Chance,
    /// One bit of the packet is flipped.
    pub corrupt: Chance,
    /// The packet is held back until the next packet has passed.
    pub reorder: Chance,
}

impl Faults {
    /// No faults.
    pub const NONE: Faults = Faults {
        loss: Chance::NEVER,
        duplicate: Chance::NEVER,
        corrupt: Chance::NEVER,
        reorder: Chance::NEVER,
    };
}

/// The faults that strike one packet.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// The packet is lost.
    pub lost: bool,
    /// The packet is sent twice; the copy has a fate of its own.
    pub duplicated: bool,
    /// The bit to flip, modulo the number of bits.
    pub flipped: Option<u64>,
    /// The packet is held back until the next packet has passed.
    pub held: bool,
    /// The packet is a copy that the link has made.
    pub is_copy: bool,
    /// Nothing strikes the packet on its way, and no switch drops it.
    pub is_exempt: bool,
}

impl Fate {
    /// The fate of a packet that always arrives, such as those with which NICs control connections.
    pub const EXEMPT: Fate = Fate {
        lost: false,
        duplicated: false,
        flipped: None,
        held: false,
        is_copy: false,
        is_exempt: true,
    };

    /// Draws a fate. Every packet uses the same number of random draws, so the probability of one fault does not shift
    /// the draws for another fault.
    pub fn draw(faults: &Faults, generator: &mut Generator) -> Fate {
        // If no fault is possible, the draws are skipped, because their values have no effect.
        if *faults == Faults::NONE {
            return Fate::default();
        }
        let [loss, duplicate, corrupt, bit, reorder] = std::array::from_fn(|_| generator.draw());
        Fate {
            lost: faults.loss.strikes(loss),
            duplicated: faults.duplicate.strikes(duplicate),
            flipped: faults.corrupt.strikes(corrupt).then_some(bit),
            held: faults.reorder.strikes(reorder),
            is_copy: false,
            is_exempt: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(loss: f64, corrupt: f64) -> Faults {
        Faults {
            loss: Chance::new(loss),
            duplicate: Chance::new(0.25),
            corrupt: Chance::new(corrupt),
            reorder: Chance::new(0.5),
        }
    }

    #[test]
    fn one_fault_does_not_shift_another() {
        let mut plain = Generator::named(1, &["link"]);
        let mut lossy = Generator::named(1, &["link"]);
        for _ in 0..100 {
            let without = Fate::draw(&faults(0.0, 0.0), &mut plain);
            let with = Fate::draw(&faults(0.9, 0.9), &mut lossy);
            assert_eq!(
                (without.duplicated, without.held),
                (with.duplicated, with.held)
            );
        }
    }
}
