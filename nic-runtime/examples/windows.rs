//! Programs at windows, without a VI: `cargo run -p nic-runtime --example windows`.
//!
//! Two programs write words to each other's memory and wait for words, then one reads the other's window.

use nic_runtime::Run;
use std::sync::{Arc, Mutex};

use nic_runtime::host::{Actions, Happened, HostProgram, Programs, WindowNews};
use nic_runtime::scenario;

/// Two NICs with remote memory. Each endpoint may write to the window of the other; `near` may also read it.
const SCENARIO: &str = r#"
profile = "clan-programmable"
[[nic]]
name = "a"
[[nic]]
name = "b"
[[endpoint]]
name = "near"
nic = "a"
[[endpoint]]
name = "far"
nic = "b"
[[window]]
owner = "far"
writer = "near"
number = 1
length = 64
read = true
[[window]]
owner = "near"
writer = "far"
number = 1
length = 64
"#;

/// How often each program writes a word.
const ROUNDS: u32 = 100;

/// A program that answers each word of its peer with the next number.
struct Counting {
    begins: bool,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Counting {
    fn counts_on(&self, heard: u32, actions: &mut Actions<'_>) {
        let home = actions.endpoints()[0];
        if heard == 2 * ROUNDS {
            let each = actions.now().as_ns() / u64::from(heard);
            let line = format!("a word takes {each} ns from program to program");
            self.lines.lock().expect("nobody panics").push(line);
            // The last word that this program wrote lies in the window of its peer.
            return actions.read_window(home, 0, (1, 0, 4), 0);
        }
        if heard > 0 || self.begins {
            actions.store(home, 0, (1, 0), (heard + 1).to_le_bytes().to_vec());
        }
        actions.wait_word(home, 0, (1, 0), (heard, None));
    }
}

impl HostProgram for Counting {
    fn happened(&mut self, what: Happened<'_>, actions: &mut Actions<'_>) {
        match what {
            Happened::Started => self.counts_on(0, actions),
            Happened::Window { what, .. } => match what {
                WindowNews::Word { value, .. } => {
                    self.counts_on(value.unwrap_or_default(), actions);
                }
                WindowNews::Read {
                    status, payload, ..
                } => {
                    let line = format!("read: {} {payload:?}", status.word());
                    self.lines.lock().expect("nobody panics").push(line);
                }
                WindowNews::Loaded { .. }
                | WindowNews::Watching { .. }
                | WindowNews::Event { .. }
                | WindowNews::NoEvent
                | WindowNews::ProtectionFault { .. }
                | WindowNews::NotPossible { .. } => {}
            },
            Happened::Message { .. }
            | Happened::Completed { .. }
            | Happened::Time
            | Happened::Connection { .. }
            | Happened::Vi { .. }
            | Happened::Port { .. } => {}
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines = Arc::default();
    let counting = |begins| Counting {
        begins,
        lines: Arc::clone(&lines),
    };
    let scenario = scenario::parse(SCENARIO.as_bytes(), None, None)?;
    let programs = Programs::new()
        .with("near", counting(true))
        .with("far", counting(false));
    Run::new(&scenario).programs(programs).execute()?;
    for line in lines.lock().expect("nobody panics").iter() {
        println!("{line}");
    }
    Ok(())
}
