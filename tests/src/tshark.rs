//! Reads captures by tshark, Wireshark's reader without windows, as a judge.
//!
//! The tests of `jive` include this file too.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A packet as tshark shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The time in nanoseconds. A simple packet block has none.
    pub at: Option<i128>,
    /// Tshark's number of the link type.
    pub encapsulation: u16,
    /// How many bytes the packet had.
    pub length: u32,
    /// The bytes in the capture.
    pub bytes: Vec<u8>,
}

/// What tshark reads in a capture.
#[derive(Debug)]
pub struct Judged {
    /// The packets up to the end of the file, or up to damage.
    pub packets: Vec<Shown>,
    /// Whether tshark reads to the end of the file.
    pub is_whole: bool,
}

/// The protocols of the generated link types. They would shorten the frames whose bytes state another length.
const DISABLED: [&str; 8] = [
    "eth", "raw", "ip", "ipv6", "null", "wlan", "sll", "user_dlt",
];

/// Reads a capture by tshark. Returns `None` if tshark is not installed.
///
/// # Panics
///
/// Panics if tshark shows something that is no packet in a form that this function does not know.
#[must_use]
pub fn read(path: &Path) -> Option<Judged> {
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(path);
    tshark.args(["-n", "-T", "json", "-x", "-j", "frame"]);
    for protocol in DISABLED {
        tshark.args(["--disable-protocol", protocol]);
    }
    let output = tshark.output().ok()?;
    let shown: Vec<Value> = match output.stdout.is_empty() {
        true => Vec::new(),
        false => serde_json::from_slice(&output.stdout).expect("tshark writes JSON"),
    };
    let layers = shown.iter().map(|shown| &shown["_source"]["layers"]);
    Some(Judged {
        packets: layers.filter_map(packet).collect(),
        is_whole: output.status.success(),
    })
}

/// Returns the packet of a frame. Frames without an encapsulation are entries of a journal or custom blocks.
fn packet(layers: &Value) -> Option<Shown> {
    let frame = &layers["frame"];
    let number = |key: &str| {
        frame[key]
            .as_str()
            .and_then(|text| text.parse::<u32>().ok())
    };
    let encapsulation = u16::try_from(number("frame.encap_type")?).expect("a small number");
    let at = frame["frame.time_epoch"].as_str().map(|text| {
        let (seconds, part) = text.split_once('.').expect("seconds and their part");
        let seconds: i128 = seconds.parse().expect("seconds");
        // The part has more than nine digits if it is more than a second.
        seconds * 1_000_000_000 + part.parse::<i128>().expect("nanoseconds")
    });
    // A packet without bytes has no such field.
    let raw = layers["frame_raw"][0].as_str().unwrap_or("");
    let digits = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(text, 16).expect("digits")
    };
    Some(Shown {
        at,
        encapsulation,
        length: number("frame.len").expect("a frame has a length"),
        bytes: raw.as_bytes().chunks(2).map(digits).collect(),
    })
}
