//! Messages with time between them. Bursts at the start of a run use each record, slot, ticket and timer once; spaced
//! messages use them again, before and after each time-out.

use nic_core::random::Generator;
use nic_core::time::SimDuration;
use nic_runtime::profile::Profile;
use nic_runtime::units::parse_duration;

/// Times of a profile below this are costs of a step. Longer times are waited for.
const LEAST_TIME_OUT_NS: u64 = 5_000;

/// How long VIA waits for a sign of the peer (docs/via.md). No profile has a key for it.
const SILENCE_NS: u64 = 20_000_000;

/// Idle times after which a clock of 32 bits that counts microseconds has turned negative, or has come around.
const WRAPS_NS: [u64; 2] = [(1 << 31) * 1_000, (1 << 32) * 1_000];

/// Latest time of a message. 2^64 picoseconds are 213 days; this leaves room for what a message causes.
const LATEST_NS: u64 = 15_000_000 * 1_000_000_000;

/// A message that becomes due.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Time since the start of the run, in nanoseconds.
    pub(crate) at_ns: u64,
    /// Length in bytes.
    pub(crate) length: u32,
}

/// How messages are spaced.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// The same time between any two messages.
    Steady,
    /// Independent messages: the times between them are distributed exponentially.
    Poisson,
    /// Several messages at a time, and then a pause.
    Bursts,
    /// Half, once, twice or a hundred times a time-out between two messages, sometimes a little more or less.
    TimeOuts,
    /// One long idle time after which clocks of 32 bits have wrapped, and steady messages on both sides of it.
    Wraps,
    /// All messages at once, more than any queue holds.
    Flood,
}

impl Spacing {
    pub(crate) const ALL: [Spacing; 6] = [
        Spacing::Steady,
        Spacing::Poisson,
        Spacing::Bursts,
        Spacing::TimeOuts,
        Spacing::Wraps,
        Spacing::Flood,
    ];
}

/// Draws when the messages of a scenario are due, and how long they are.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    time_outs_ns: Vec<u64>,
    lengths: Vec<u32>,
    longest: u32,
}

impl Traffic {
    /// Returns traffic for NICs with this profile, whose longest message has `longest` bytes. Every time of the profile
    /// that a NIC may wait for is a time-out, and every length of the profile is a limit.
    pub(crate) fn of(profile: &Profile, longest: u32) -> Traffic {
        let entries = profile.entries();
        let times = entries.iter().filter(|entry| entry.key.form == "time");
        let times = times.map(|entry| parse_duration(&entry.value).expect("a profile's own text"));
        let mut time_outs_ns: Vec<u64> = times
            .map(SimDuration::as_ns)
            .filter(|time| *time >= LEAST_TIME_OUT_NS)
            .collect();
        time_outs_ns.push(SILENCE_NS);
        time_outs_ns.sort_unstable();
        time_outs_ns.dedup();
        let mut traffic = Traffic {
            time_outs_ns,
            lengths: Vec::new(),
            longest,
        };
        let cell = profile.wire.cell;
        let frame = profile.emp.map_or(0, |emp| emp.payload.get());
        let small_frame = profile.emp.map_or(0, |emp| emp.small_frame);
        let by_processor = profile.via.map_or(0, |via| via.pio_max);
        // A short message travels in its receive descriptor.
        for limit in [
            0,
            56,
            cell,
            profile.wire.min_frame,
            small_frame,
            frame,
            2 * frame,
            4 * frame,
            by_processor,
            profile.memory.max_packet.get(),
        ] {
            traffic = traffic.with_limit(limit);
        }
        traffic.with_limit(longest)
    }

    /// Adds a time for which something in the scenario waits, such as the time for which an applet is detached.
    pub(crate) fn with_time_out(mut self, time: SimDuration) -> Traffic {
        self.time_outs_ns.push(time.as_ns());
        self
    }

    /// Adds a length at which something changes; messages have this length, one byte less or one more.
    pub(crate) fn with_limit(mut self, limit: u32) -> Traffic {
        for length in [limit.saturating_sub(1), limit, limit + 1] {
            if length <= self.longest && !self.lengths.contains(&length) {
                self.lengths.push(length);
            }
        }
        self
    }

    /// Returns the time-outs in nanoseconds.
    pub(crate) fn time_outs_ns(&self) -> &[u64] {
        &self.time_outs_ns
    }

    /// Draws `count` messages in the order of their times, in one to three parts that are spaced differently.
    pub(crate) fn draw(&self, generator: &mut Generator, count: usize) -> Vec<Due> {
        let mut messages = Vec::with_capacity(count);
        let mut now_ns = below(generator, 300_000);
        while messages.len() < count {
            let left = count - messages.len();
            let part = (count / 3).max(1) + index(generator, count.max(1));
            let spacing = Spacing::ALL[index(generator, Spacing::ALL.len())];
            now_ns = self.spaced(
                generator,
                (spacing, part.min(left)),
                (now_ns, &mut messages),
            );
        }
        messages
    }

    /// Draws messages with one spacing after a time, and returns the time after them.
    fn spaced(
        &self,
        generator: &mut Generator,
        (spacing, count): (Spacing, usize),
        (start_ns, messages): (u64, &mut Vec<Due>),
    ) -> u64 {
        // Times from a part of a packet's time to several round trips.
        let mean_ns = 1_000 << below(generator, 12);
        let burst = 2 + index(generator, 80);
        let wrap_at = index(generator, count.max(1));
        let mut now_ns = start_ns;
        for number in 0..count {
            let gap_ns = match spacing {
                Spacing::Steady => mean_ns,
                Spacing::Poisson => exponential(generator, mean_ns),
                Spacing::Bursts if number % burst != 0 => 0,
                Spacing::Bursts => mean_ns * burst as u64,
                Spacing::TimeOuts => self.around_a_time_out(generator),
                Spacing::Wraps if number == wrap_at => {
                    WRAPS_NS[index(generator, 2)] + below(generator, 2_000_000)
                }
                Spacing::Wraps => mean_ns,
                Spacing::Flood => 0,
            };
            now_ns = (now_ns + gap_ns).min(LATEST_NS);
            let length = self.length(generator);
            messages.push(Due {
                at_ns: now_ns,
                length,
            });
        }
        now_ns
    }

    fn around_a_time_out(&self, generator: &mut Generator) -> u64 {
        let time_out = self.time_outs_ns[index(generator, self.time_outs_ns.len())];
        let gap = match below(generator, 16) {
            0..6 => time_out / 2,
            6..11 => time_out,
            11..15 => 2 * time_out,
            _ => 100 * time_out,
        };
        match below(generator, 4) {
            0 => gap - 1,
            1 => gap + below(generator, gap / 4 + 1),
            _ => gap,
        }
    }

    /// Draws a length: often short, sometimes any, and often a limit or its neighbour.
    fn length(&self, generator: &mut Generator) -> u32 {
        let any = |generator: &mut Generator, most: u32| {
            below(generator, u64::from(most.min(self.longest)) + 1) as u32
        };
        match below(generator, 8) {
            0..4 => any(generator, 100),
            4 => any(generator, self.longest),
            _ => self.lengths[index(generator, self.lengths.len())],
        }
    }
}

/// Draws a number below `limit`, which is not 0.
pub(crate) fn below(generator: &mut Generator, limit: u64) -> u64 {
    generator.draw() % limit
}

/// Draws an index of a list of this length.
pub(crate) fn index(generator: &mut Generator, length: usize) -> usize {
    usize::try_from(below(generator, length as u64)).expect("it is below a length")
}

/// Draws from the exponential distribution with this mean, by inversion: the mean times the negative logarithm of a
/// uniform number. The logarithm is computed with integers, so every machine draws the same.
fn exponential(generator: &mut Generator, mean: u64) -> u64 {
    /// The natural logarithm of 2, times 2^32.
    const LN_2: u128 = 2_977_044_472;
    let uniform = generator.draw() | 1;
    // The binary logarithm of `uniform / 2^64`. The leading zeros give the part before the point, and each squaring
    // gives one bit behind it.
    let mut fraction = u128::from(uniform << uniform.leading_zeros());
    let mut log = 0_u128;
    for _ in 0..16 {
        fraction = (fraction * fraction) >> 63;
        log <<= 1;
        if fraction >> 64 != 0 {
            fraction >>= 1;
            log += 1;
        }
    }
    let minus_log = ((u128::from(uniform.leading_zeros()) + 1) << 16) - log;
    let product = (u128::from(mean) * minus_log * LN_2) >> (16 + 32);
    u64::try_from(product).expect("45 times a mean")
}

#[test]
fn exponential_times_have_their_mean_and_their_median() {
    let mut generator = Generator::named(1, &["exponential"]);
    let mut times: Vec<u64> = (0..20_001)
        .map(|_| exponential(&mut generator, 1_000_000))
        .collect();
    let mean = times.iter().sum::<u64>() / times.len() as u64;
    assert!(mean.abs_diff(1_000_000) < 20_000, "{mean}");
    times.sort_unstable();
    let median = times[10_000];
    assert!(median.abs_diff(693_147) < 20_000, "{median}");
}

#[test]
fn spaced_messages_meet_each_time_out_and_wrap_each_clock() {
    for name in Profile::builtin_names() {
        let profile = Profile::builtin(name).expect("a built-in profile");
        let traffic = Traffic::of(&profile, 9_000);
        let mut gaps = Vec::new();
        let mut lengths = Vec::new();
        for seed in 0..200 {
            let mut generator = Generator::named(seed, &["spaced", name]);
            let messages = traffic.draw(&mut generator, 120);
            assert_eq!(messages.len(), 120);
            assert!(messages.is_sorted_by_key(|due| due.at_ns));
            gaps.extend(messages.windows(2).map(|two| two[1].at_ns - two[0].at_ns));
            lengths.extend(messages.iter().map(|due| due.length));
        }
        for time_out in traffic.time_outs_ns() {
            for gap in [time_out / 2, *time_out, 2 * time_out, 100 * time_out] {
                assert!(gaps.contains(&gap), "{name}: no gap of {gap} ns");
            }
        }
        assert!(gaps.iter().any(|gap| *gap > WRAPS_NS[1]), "{name}");
        assert!(traffic.lengths.iter().all(|limit| lengths.contains(limit)));
    }
}

#[test]
fn every_time_of_a_profile_that_a_nic_waits_for_is_a_time_out() {
    let emp = Profile::builtin("tigon2-2002").expect("a built-in profile");
    let time_out = emp.emp.expect("EMP").timeout;
    let traffic = Traffic::of(&emp, 100);
    for expected in [time_out, emp.wire.timeout, emp.wire.reorder_max] {
        assert!(traffic.time_outs_ns().contains(&expected.as_ns()));
    }
}
