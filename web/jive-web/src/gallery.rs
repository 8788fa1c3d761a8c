//! The shipped applets and scenarios.

use applets::Applet;
use nic_runtime::scenario::{BUILTIN, Builtin};
use serde::Serialize;

use crate::bytes::Bytes;

/// Everything that a page can show before it is given anything.
#[derive(Serialize)]
pub(crate) struct Gallery {
    version: &'static str,
    applets: Vec<Shown>,
    scenarios: Vec<Scenario>,
}

/// A shipped applet.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    class: Bytes,
    /// The name of a shipped scenario in which it works, if there is one.
    scenario: Option<&'static str>,
}

/// A shipped scenario.
#[derive(Serialize)]
struct Scenario {
    name: &'static str,
    summary: &'static str,
    text: &'static str,
}

/// Returns what is shipped.
pub(crate) fn gallery() -> Gallery {
    let scenarios = BUILTIN.iter().map(|of| Scenario {
        name: of.name,
        summary: of.summary,
        text: of.text,
    });
    Gallery {
        version: env!("CARGO_PKG_VERSION"),
        applets: applets::ALL.iter().map(shown).collect(),
        scenarios: scenarios.collect(),
    }
}

fn shown(applet: &Applet) -> Shown {
    Shown {
        name: applet.name,
        summary: applet.summary,
        source: applet.source,
        class: Bytes(applet.class.to_vec()),
        scenario: scenario_with(applet.name).map(|scenario| scenario.name),
    }
}

/// Returns the shipped scenario that shows an applet: the one with the fewest lines that loads it.
fn scenario_with(applet: &str) -> Option<&'static Builtin> {
    let quoted = format!("\"builtin:{applet}\"");
    let loading = BUILTIN.iter().filter(|of| of.text.contains(&quoted));
    loading.min_by_key(|of| of.text.lines().count())
}
