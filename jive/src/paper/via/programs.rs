//! Programs that speak to the network themselves, without VIA: `clan-ping` and `clan-server`, which write to rings in each
//! other's windows.

use std::fmt::Write as _;

use nic_core::event::{Event, EventKind, Names, NicEvent, RemoteEvent, Sink};
use nic_core::id::EndpointId;
use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use super::lab::{Served, per_second};
use crate::paper::PaperError;

/// A server with rings for its clients, each of which has one request outstanding.
#[derive(Copy, Clone, Debug)]
pub(super) struct OwnProtocol {
    /// The figure that is measured.
    pub(super) figure: &'static str,
    pub(super) clients: u32,
    /// Requests of each client.
    pub(super) rounds: u32,
    /// Length of each request in bytes.
    pub(super) length: u32,
}

/// Requests of the client whose round trips are measured.
const PINGS: u32 = 20;

/// Length of a message that makes an entry of 16 bytes, as VIA's rings have them.
const PING: u32 = 8;

/// Returns how long a message takes from program to program: half of the mean round trip.
pub(super) fn half_trip(
    figure: &'static str,
    profile: &Profile,
) -> Result<SimDuration, PaperError> {
    let ping = OwnProtocol {
        figure,
        clients: 1,
        rounds: PINGS,
        length: PING,
    };
    let times = ping.run(profile)?.received;
    match (times.first(), times.last()) {
        (Some(&first), Some(&last)) if times.len() == PINGS as usize => {
            let trips = last.since(first).as_ps() / u64::from(PINGS - 1);
            Ok(SimDuration::from_ps(trips / 2))
        }
        _ => Err(PaperError::NothingMeasured { figure }),
    }
}

impl OwnProtocol {
    /// Counts the answers that reach the clients. The first half is not measured.
    pub(super) fn serve(self, profile: &Profile) -> Result<Served, PaperError> {
        let Answers { received, lost } = self.run(profile)?;
        let all = u64::from(self.clients) * u64::from(self.rounds);
        let settled = received.len() / 2;
        let rate = per_second(&received[settled..]).ok_or_else(|| self.nothing())?;
        Ok(Served {
            rate,
            is_whole: lost == 0 && received.len() as u64 == all,
        })
    }

    fn nothing(self) -> PaperError {
        PaperError::NothingMeasured {
            figure: self.figure,
        }
    }

    fn run(self, profile: &Profile) -> Result<Answers, PaperError> {
        let OwnProtocol {
            clients,
            rounds,
            length,
            ..
        } = self;
        // A pointer, and eight entries of the message, its number and its length.
        let window = 4 + 8 * (8 + length.next_multiple_of(4));
        let common = "free_buffers = { count = 0 }\n";
        let mut text = format!(
            "until = '100s'\nmax_events = 100000000\n\
             [[nic]]\nname = 'client'\nsram = '256MiB'\n[[nic]]\nname = 'server'\nsram = '256MiB'\n\
             [[endpoint]]\nnic = 'server'\nname = 'server'\nhost = 'clan-server'\n{common}\
             buffer_area = {}\n",
            clients * window
        );
        for client in 0..clients {
            let _infallible = write!(
                text,
                "[[endpoint]]\nnic = 'client'\nname = 'c{client}'\nhost = 'clan-ping'\n{common}\
                 buffer_area = {window}\nrounds = {rounds}\nmessage_length = {length}\n\
                 [[window]]\nowner = 'server'\nwriter = 'c{client}'\nnumber = {client}\n\
                 offset = {}\nlength = {window}\n\
                 [[window]]\nowner = 'c{client}'\nwriter = 'server'\nnumber = {client}\n\
                 length = {window}\n",
                client * window
            );
        }
        let scenario = scenario::parse_on(&text, profile).map_err(|_| self.nothing())?;
        let mut answers = Answers::default();
        Run::new(&scenario).sink(&mut answers).execute()?;
        Ok(answers)
    }
}

/// The answers that clients receive. The server is the first endpoint.
#[derive(Clone, Debug, Default)]
struct Answers {
    /// When each pointer behind an answer was written to a client's ring.
    received: Vec<SimTime>,
    /// Writes that any NIC refused.
    lost: u64,
}

impl Sink for Answers {
    fn event(&mut self, _names: &dyn Names, event: &Event<'_>) {
        match event.kind {
            EventKind::Remote(RemoteEvent::WindowWritten { offset: 0, .. })
                if event.endpoint.is_some_and(|here| here != EndpointId(0)) =>
            {
                self.received.push(event.time);
            }
            EventKind::Nic(NicEvent::Drop { .. }) => self.lost += 1,
            EventKind::Nic(_)
            | EventKind::Unet(_)
            | EventKind::Sle(_)
            | EventKind::Emp(_)
            | EventKind::Via(_)
            | EventKind::Remote(_)
            | EventKind::Lmmc(_)
            | EventKind::Host(_) => {}
        }
    }
}
