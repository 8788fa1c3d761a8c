//! What a NIC offers to applets: the keys `receive` and `natives` of a profile.

use nic_core::sle::Need;

use super::{Profile, Receive};

/// The facilities that applets on a NIC may use.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offers(u8);

impl Offers {
    fn of(needs: impl IntoIterator<Item = Need>) -> Offers {
        Offers(needs.into_iter().fold(0, |set, need| set | bit(need)))
    }

    /// Returns whether the NIC offers a facility.
    #[must_use]
    pub fn has(self, need: Need) -> bool {
        self.0 & bit(need) != 0
    }

    /// Returns the facilities that the NIC offers.
    pub fn iter(self) -> impl Iterator<Item = Need> {
        let all = Need::ALL.iter().copied();
        all.filter(move |need| self.has(*need))
    }
}

const fn bit(need: Need) -> u8 {
    1 << need as u8
}

/// The sections of a profile that endpoints with an applet need.
pub const APPLET_SECTIONS: &[&str] = &["entry", "native", "native_fuel", "quota"];

impl Profile {
    /// Returns what the NIC offers to applets. Without the key `natives`, it offers DMA and timers, and windows if it has
    /// the section `[clan]`.
    #[must_use]
    pub fn offers(&self) -> Offers {
        let receives = match self.receive {
            Receive::Staged => Need::Staged,
            Receive::Direct => Need::Direct,
        };
        let natives = match &self.natives {
            Some(natives) => natives.clone(),
            None => {
                let windows = self.clan.is_some().then_some(Need::Windows);
                [Need::Dma, Need::Timer]
                    .into_iter()
                    .chain(windows)
                    .collect::<Vec<_>>()
            }
        };
        Offers::of(natives.into_iter().chain([receives]))
    }

    /// Returns the names of the built-in profiles whose NICs run applets and offer a facility.
    pub fn builtin_offering(need: Need) -> impl Iterator<Item = &'static str> {
        Profile::builtin_names().filter(move |name| {
            Profile::builtin(name).is_some_and(|profile| {
                profile.lacks(APPLET_SECTIONS).is_none() && profile.offers().has(need)
            })
        })
    }

    /// Returns the length of the array `RxBuf` of an applet, in bytes; 0 if applets have none.
    #[must_use]
    pub fn rx_buf_bytes(&self) -> u32 {
        match self.receive {
            Receive::Staged => self.memory.max_packet.get(),
            Receive::Direct => 0,
        }
    }

    /// Returns the number of bytes of each arrival slot in NIC memory.
    #[must_use]
    pub fn arrival_slot_bytes(&self) -> u32 {
        self.header()
            .unwrap_or_else(|| self.memory.max_packet.get())
    }

    /// Returns how many bytes of a packet the NIC keeps if it receives directly; `None` if it does not.
    #[must_use]
    pub fn header(&self) -> Option<u32> {
        match self.receive {
            Receive::Staged => None,
            Receive::Direct => Some(self.nic.map_or(0, |nic| nic.header)),
        }
    }
}
