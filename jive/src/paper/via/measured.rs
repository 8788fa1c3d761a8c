//! What is measured under a profile. Several rows and orders share a bandwidth or a server, and several tries share a
//! profile, so each number is measured once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use nic_runtime::profile::Profile;

use super::Rounds;
use super::clan::{answers, at_user_level, bandwidth, own_answers};
use super::lab::Served;
use crate::paper::PaperError;
use crate::paper::report::Row;

/// What is measured under one profile.
pub(super) struct Measured {
    pub(super) profile: Profile,
    pub(super) rounds: Rounds,
    bandwidths: Known<(&'static str, u32), u64>,
    servers: Known<(&'static str, u32), Served>,
    /// Servers without VIA, by the number of clients.
    own_servers: Known<u32, Served>,
    /// Rows that this profile alone moves, by their figure.
    rows: Known<&'static str, Vec<Row>>,
}

/// The profiles of a paper about VIA.
#[derive(Copy, Clone)]
pub(super) struct Both<'m> {
    /// The paper's own NIC.
    pub(super) own: &'m Measured,
    /// The NIC with which the paper compares its own, if there is one.
    pub(super) compared: &'m Measured,
}

impl Measured {
    pub(super) fn new(profile: &Profile, rounds: Rounds) -> Measured {
        Measured {
            profile: profile.clone(),
            rounds,
            bandwidths: Known::default(),
            servers: Known::default(),
            own_servers: Known::default(),
            rows: Known::default(),
        }
    }

    /// Returns the bandwidth of messages of a length.
    pub(super) fn bandwidth(&self, by: &'static str, length: u32) -> Result<u64, PaperError> {
        let point = (by, length);
        self.bandwidths
            .once(point, || bandwidth(&self.profile, point, self.rounds))
    }

    /// Returns what a server with a completion queue answers.
    pub(super) fn answers(&self, by: &'static str, outstanding: u32) -> Result<Served, PaperError> {
        let point = (by, outstanding.min(self.rounds.most));
        self.servers
            .once(point, || answers(&self.profile, point, self.rounds))
    }

    /// Returns what a server answers whose events reach it without an interrupt.
    pub(super) fn at_user_level(&self, outstanding: u32) -> Result<Served, PaperError> {
        let point = ("pio", outstanding);
        self.servers.once(("pio at user level", outstanding), || {
            answers(&at_user_level(&self.profile), point, self.rounds)
        })
    }

    /// Returns what a server without VIA answers.
    pub(super) fn own_server(&self, clients: u32) -> Result<Served, PaperError> {
        let clients = clients.min(self.rounds.most);
        self.own_servers
            .once(clients, || own_answers(&self.profile, clients, self.rounds))
    }

    /// Returns the rows of a figure that this profile alone moves.
    pub(super) fn rows(
        &self,
        figure: &'static str,
        measure: impl FnOnce(&Profile, Rounds) -> Result<Vec<Row>, PaperError>,
    ) -> Result<Vec<Row>, PaperError> {
        self.rows
            .once(figure, || measure(&self.profile, self.rounds))
    }
}

/// Results that are known already.
struct Known<K, V>(Mutex<BTreeMap<K, V>>);

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Known(Mutex::default())
    }
}

impl<K: Ord, V: Clone> Known<K, V> {
    /// Returns the known result, or measures it. Two threads that ask at once both measure, and find the same.
    fn once(
        &self,
        key: K,
        measure: impl FnOnce() -> Result<V, PaperError>,
    ) -> Result<V, PaperError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&key).cloned();
        if let Some(found) = found {
            return Ok(found);
        }
        let found = measure()?;
        known().insert(key, found.clone());
        Ok(found)
    }
}
