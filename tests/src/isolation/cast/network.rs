//! The network of a cast: a topology whose switches all endpoints share, and which loses nothing.

use nic_runtime::profile::{Flow, Profile};

use super::{Stage, setting};
use crate::random::Random;

/// The frame of the longest packet fits in such a buffer with every profile.
const BUFFER_LEAST: u64 = 70_000;

/// Draws the keys of a `[topology]`. Returns `None` where each pair of NICs has a wire of its own.
pub(super) fn draw(random: &mut Random, stage: Stage) -> Option<String> {
    let wire = Profile::builtin(stage.profile)
        .expect("a built-in profile")
        .wire;
    // A NIC without a slot must not stop a switch, whose other packets would be dropped after a time.
    let holds = stage.holds || wire.flow == Flow::Hold;
    // Others take time on the links, and an interface that ends connections takes too much of it for a loss.
    let has_connection = setting(stage.interface).has_connection;
    if !holds || wire.cell > 0 || has_connection || random.below(2) == 0 {
        return None;
    }
    let kind = match random.below(5) {
        0 => "kind = 'star'".to_owned(),
        1 => format!("kind = 'ring'\nsize = {}", 1 + random.below(6)),
        2 => format!(
            "kind = 'mesh'\nsize = [{}, {}]",
            1 + random.below(3),
            1 + random.below(3)
        ),
        3 => format!(
            "kind = 'torus'\nsize = [{}, {}]",
            1 + random.below(4),
            1 + random.below(4)
        ),
        _ => "kind = 'fat-tree'\nsize = 4".to_owned(),
    };
    let mode = random.pick(&["store-and-forward", "cut-through", "crossbar", "worm-hole"]);
    let mut switch = format!(
        "mode = '{mode}', latency = '{}ns'",
        random.pick(&[0, 300, 5_000])
    );
    if mode != "worm-hole" && random.below(2) == 0 {
        let buffer = BUFFER_LEAST + random.below(60_000);
        switch += &format!(", full = 'stop', buffer = {buffer}");
    }
    let rate = random.pick(&[20, 160, 1_000]);
    Some(format!(
        "{kind}\nswitch = {{ {switch} }}\nlink = {{ bandwidth = '{rate}MB/s' }}"
    ))
}
