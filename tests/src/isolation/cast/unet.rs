//! Casts of U-Net.

use nic_runtime::spec::InterfaceKind;

use super::{Send, Setting, Stage, VICTIM_BUFFERS, Victims, notify};
use crate::random::Random;

pub(super) const SETTING: Setting = Setting {
    stage: |random| {
        let profile = random.pick(&[
            "lanai-1998",
            "lanai-1998",
            "lanai-1998-split",
            "lanai-1998-dual-dma",
            "modern",
            "unet-host-1998",
            "lanai-1998-direct",
        ]);
        (profile, InterfaceKind::Unet, 1)
    },
    of_victims: |_| InterfaceKind::Unet,
    victims,
    buffers: (VICTIM_BUFFERS, 4096),
    has_connection: false,
    placements: &[],
    hostile: "",
    is_paired: false,
    fuel: &[600, 1000, 20_000],
};

fn victims(random: &mut Random, nics: usize, stage: Stage) -> Victims {
    let applet = random.pick(&[
        "", "", "RawUnet", "RawUnet", "RawUnet", "PingPong", "AckInNic", "Counter", "Burst25",
        "Stumbler",
    ]);
    let applet = match (stage.receives_directly(), applet) {
        (false, applet) => applet,
        (true, "") => "",
        (true, "Counter") => "DirectCounter",
        (true, _) => "DirectUnet",
    };
    let mut sends: Vec<Send> = (0..1 + random.below(4))
        .map(|_| Send::of_victim(random))
        .collect();
    if applet == "Burst25" {
        sends.truncate(1);
        sends[0].repeat = 1;
        sends[0].length = sends[0].length.min(1000);
    }
    let host = match applet {
        "" | "RawUnet" | "DirectUnet" => random.pick(&["sink", "echo", "acknowledge"]),
        _ => "sink",
    };
    let mut victims = Victims {
        nics: (random.index(nics), random.index(nics)),
        interface: InterfaceKind::Unet,
        keys: String::new(),
        applet,
        on_trap: if applet == "Stumbler" {
            random.pick(&["drop", "base-path"])
        } else {
            random.pick(&["drop", "base-path", "detach"])
        },
        host,
        notify: notify(random),
        sends,
        // On one channel, replies and the user's own messages would alternate depending on time.
        two_way: host == "sink"
            && matches!(applet, "" | "RawUnet" | "DirectUnet")
            && random.below(2) == 0,
    };
    if stage.pace > 1 || random.below(3) == 0 && victims.applet != "Burst25" {
        victims.sends = stage.traffic(random, 9_000);
    }
    victims
}
