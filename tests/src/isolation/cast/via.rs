//! Casts of VIA.

use nic_runtime::spec::InterfaceKind;

use super::{Setting, Stage, VICTIM_BUFFERS, Victims};
use crate::random::Random;

pub(super) const SETTING: Setting = Setting {
    stage: |random| {
        let profile = random.pick(&[
            "giganet-1999",
            "clan-programmable",
            "clan-programmable",
            "lanai-1998-split",
            "modern",
            "mvia-2001",
        ]);
        let of_hostile =
            random.pick(&[InterfaceKind::Unet, InterfaceKind::Unet, InterfaceKind::Via]);
        (profile, of_hostile, 100)
    },
    of_victims: |random| {
        random.pick(&[InterfaceKind::Via, InterfaceKind::Via, InterfaceKind::Unet])
    },
    victims,
    buffers: (VICTIM_BUFFERS, 4096),
    has_connection: true,
    placements: &[],
    hostile: "interface = 'via'\n",
    is_paired: true,
    fuel: &[1000, 20_000, 20_000, 60_000, 60_000, 250_000],
};

fn victims(random: &mut Random, nics: usize, stage: Stage) -> Victims {
    let splits = random.below(2) == 0;
    let reliability = random.pick(&["delivery", "reception", "unreliable"]);
    let mut keys = format!("interface = 'via'\nsplit = {splits}\nreliability = '{reliability}'");
    let is_over_memory = stage.profile == "clan-programmable" && random.below(3) > 0;
    keys += &match is_over_memory {
        true => format!(
            "\nprovider = 'clan'\ntransfer = '{}'\non_empty = '{}'\nstrict = {}",
            random.pick(&["auto", "pio", "dma"]),
            random.pick(&["drop", "defer"]),
            random.below(2) == 0
        ),
        // A loop moves the messages: of the NIC, or else of its host.
        false => String::new(),
    };
    let sends = stage.traffic(random, if splits { 9_000 } else { 4_096 });
    Victims::plain(random, (nics, InterfaceKind::Via), sends, keys)
}
