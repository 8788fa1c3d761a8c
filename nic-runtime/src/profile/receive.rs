//! The keys `receive` and `natives` of a profile, as a file writes them.

use jive_verifier::Policy;
use nic_core::sle::{Need, NicEntry};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// Where a NIC puts the packets that arrive for U-Net endpoints; written `staged` and `direct`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Receive {
    /// Into NIC memory. An applet finds the packet in its array `RxBuf`.
    #[default]
    Staged,
    /// By DMA into the next free buffer of the endpoint. The NIC keeps the packet's header, and an applet has no `RxBuf`.
    Direct,
}

impl Receive {
    /// Returns the policy under which a class is verified to be an applet on NICs that receive in this way.
    #[must_use]
    pub fn policy(self) -> Policy {
        let entries = NicEntry::TABLE;
        match self {
            Receive::Staged => Policy::Applet { entries },
            Receive::Direct => Policy::DirectApplet { entries },
        }
    }
}

/// A facility in the key `natives` of a profile.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed(pub(super) Need);

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Listed, D::Error> {
        let word = String::deserialize(from)?;
        match Need::ALL.iter().find(|need| need.word() == word) {
            Some(Need::Staged | Need::Direct) => Err(D::Error::custom(format!(
                "`natives` lists `{word}`; the key `receive` says where the NIC receives"
            ))),
            Some(need) => Ok(Listed(*need)),
            None => Err(D::Error::custom(format!(
                "`natives` lists {word:?}, which no native needs: it lists any of \"dma\", \"timer\" and \"windows\""
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Receive {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Receive, D::Error> {
        let word = String::deserialize(from)?;
        match word.as_str() {
            "staged" => Ok(Receive::Staged),
            "direct" => Ok(Receive::Direct),
            other => Err(D::Error::invalid_value(
                Unexpected::Str(other),
                &"\"staged\" or \"direct\"",
            )),
        }
    }
}
