//! Casts of EMP.

use nic_runtime::spec::InterfaceKind;

use super::{Setting, VICTIM_BUFFERS, Victims};

pub(super) const SETTING: Setting = Setting {
    stage: |random| {
        let of_hostile = random.pick(&[InterfaceKind::Unet, InterfaceKind::Emp]);
        ("tigon2-2002", of_hostile, 100)
    },
    of_victims: |_| InterfaceKind::Emp,
    victims: |random, nics, stage| {
        let sends = stage.traffic(random, 9_000);
        let keys = "interface = 'emp'".to_owned();
        Victims::plain(random, (nics, InterfaceKind::Emp), sends, keys)
    },
    // A message needs one buffer, however long it is.
    buffers: (VICTIM_BUFFERS / 3, 9216),
    has_connection: true,
    placements: &["", "base", "SO", "RO", "DSR", "SR", "dynamic"],
    hostile: "interface = 'emp'\n",
    is_paired: false,
    fuel: &[1000, 2_000, 20_000, 20_000, 20_000, 20_000, 20_000, 150_000],
};
