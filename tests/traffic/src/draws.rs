//! Draws of every distribution of scenarios, whose digests are the same on every machine.

use nic_core::id::ChannelId;
use nic_core::random::Generator;
use nic_core::time::SimDuration;
use nic_runtime::spec::{Gap, Gaps, Length, draw_channel};
use sha2::{Digest, Sha256};

/// How many draws of each distribution a digest is of.
const DRAWS: usize = 100_000;

const MEAN: SimDuration = SimDuration::from_ps(10_000_000);

/// Compares the digest of each distribution's draws with the committed one. The committed digests were computed by
/// another program, from the definitions of FNV-1a, SplitMix64 and xoshiro256++.
///
/// # Errors
///
/// Returns which distribution's draws are others.
pub fn check() -> Result<(), String> {
    for (name, found, expected) in found() {
        if found != expected {
            return Err(format!("{name}: expected {expected}, found {found}"));
        }
    }
    Ok(())
}

/// Returns each distribution with the digest of its draws and the committed one.
fn found() -> [(&'static str, String, &'static str); 7] {
    let times = |count: u64| SimDuration::from_ps(count * MEAN.as_ps());
    let bursts = Gap::Bursts {
        every: MEAN,
        on: times(5),
        off: times(20),
    };
    let imix = Length::weighted(&[(64, 7.0), (570, 4.0), (1500, 1.0)]).expect("weights");
    let zipf = Length::zipf(1, 1000, 1.0).expect("ranks");
    [
        (
            "poisson",
            of_gaps(Gap::Poisson(MEAN)),
            "fcf8f5f09f0bbeb33dcc27934a8d12a6ed6accf86f7cc823d905d890ecf50137",
        ),
        (
            "uniform gaps",
            of_gaps(Gap::Uniform(MEAN, times(5))),
            "ff6c64eafc2078fb598050e98c908957b9f27fe2235d70540c10e4a3678e03df",
        ),
        (
            "bursts",
            of_gaps(bursts),
            "9f4d36071551a714973071a9ba8f3df8d1af4aac414f78d79639554cb18a9674",
        ),
        (
            "uniform lengths",
            of_lengths(&Length::Uniform(64, 1500)),
            "3b0e73efd6a454abe8b7fdb4dbde834ae4eb4b24ed4cdb4987ba3e92ca586ed2",
        ),
        (
            "choices",
            of_lengths(&imix),
            "b6cfabf169af0a194463e2b39c591f8f632e9dd4fa739f92c4820c29404dca89",
        ),
        (
            "zipf",
            of_lengths(&zipf),
            "dd8a72180540d61ff66e1d33e0c1cfe2156a9ce1eda83d3b1bd3ece60b4c6b02",
        ),
        (
            "channels",
            of_channels(),
            "c538ec685c3d3bb399f9cf345f50f3947b7eeda5da8844ceaa994a7d82bc73cc",
        ),
    ]
}

fn of_gaps(gap: Gap) -> String {
    let mut gaps = Gaps::new(gap, Generator::named(1, &["gap", "client", "1"]));
    digest(|| gaps.draw().as_ps().to_le_bytes())
}

fn of_lengths(length: &Length) -> String {
    let mut generator = Generator::named(1, &["length", "client", "1"]);
    digest(|| length.draw(&mut generator).to_le_bytes())
}

fn of_channels() -> String {
    let channels = [3, 5, 9].map(ChannelId);
    let mut generator = Generator::named(1, &["to", "client", "1"]);
    digest(|| {
        let channel = draw_channel(&channels, &mut generator);
        channel.map_or(0, |channel| channel.0).to_le_bytes()
    })
}

/// Returns the digest of many draws.
fn digest<const BYTES: usize>(mut draw: impl FnMut() -> [u8; BYTES]) -> String {
    let mut digest = Sha256::new();
    for _ in 0..DRAWS {
        digest.update(draw());
    }
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_the_same_everywhere() {
        assert_eq!(check(), Ok(()));
    }
}
