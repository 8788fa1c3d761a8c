//! Programs that speak to the network themselves, without VIA: they write to windows, and compare pointers.

use std::sync::{Arc, Mutex, PoisonError};

use nic_core::time::{SimDuration, SimTime};
use nic_runtime::Run;
use nic_runtime::host::{Actions, Happened, HostProgram, Programs, WindowNews};
use nic_runtime::profile::Profile;
use nic_runtime::scenario;

use crate::paper::PaperError;

/// Two endpoints that write to each other's window. The library of their VIs does nothing, because nothing connects the
/// VIs.
const SCENARIO: &str = "[[nic]]\nname = 'a'\n[[nic]]\nname = 'b'\n\
    [[endpoint]]\nnic = 'a'\nname = 'near'\ninterface = 'via'\nprovider = 'clan'\n\
    [[endpoint]]\nnic = 'b'\nname = 'far'\ninterface = 'via'\nprovider = 'clan'\n\
    [[channel]]\nnear = 1\nfar = 1\nconnect = 'program'\n\
    [[window]]\nowner = 'far'\nwriter = 'near'\nnumber = 1\nlength = 64\n\
    [[window]]\nowner = 'near'\nwriter = 'far'\nnumber = 1\nlength = 64\n";

/// Messages of both programs together.
const MESSAGES: u32 = 20;

/// Length of an entry of a ring. Its pointer is the word behind it.
const ENTRY: u32 = 16;

/// A program that answers each message of its peer: an entry of a ring, and the pointer.
struct Ping {
    begins: bool,
    over: Arc<Mutex<Option<SimTime>>>,
}

impl HostProgram for Ping {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        let heard = match what {
            Happened::Started => 0,
            Happened::Window {
                what: WindowNews::Word { value, .. },
                ..
            } => value.unwrap_or_default(),
            Happened::Window { .. }
            | Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. } => return,
        };
        let Some(&home) = actions.endpoints().first() else {
            return;
        };
        if heard >= MESSAGES {
            let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
            *over = Some(actions.now());
            return;
        }
        if heard > 0 || self.begins {
            actions.store(home, 0, (1, 0), vec![0; ENTRY as usize]);
            actions.store(home, 0, (1, ENTRY), (heard + 1).to_le_bytes().to_vec());
        }
        actions.wait_word(home, 0, (1, ENTRY), (heard, None));
    }
}

/// Returns how long a message takes from program to program: half of the mean round trip.
pub(super) fn half_trip(
    figure: &'static str,
    profile: &Profile,
) -> Result<SimDuration, PaperError> {
    let nothing = || PaperError::NothingMeasured { figure };
    let over = Arc::default();
    let ping = |begins| Ping {
        begins,
        over: Arc::clone(&over),
    };
    let scenario = scenario::parse_on(SCENARIO, profile).map_err(|_| nothing())?;
    let programs = Programs::new()
        .with("near", ping(true))
        .with("far", ping(false));
    Run::new(&scenario).programs(programs).execute()?;
    let over = *over.lock().unwrap_or_else(PoisonError::into_inner);
    let over = over.ok_or_else(nothing)?;
    let all = over.since(SimTime::ZERO).as_ps();
    Ok(SimDuration::from_ps(all / u64::from(MESSAGES)))
}
