//! A thousand endpoints that all send and receive messages of their own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::trace::run;

const ENDPOINTS: u32 = 1000;

/// Length in bytes of the longer of an endpoint's two messages, which does not fit in a descriptor.
const LONG: usize = 700;

/// Returns an endpoint's two messages to the next endpoint: the first fits in a descriptor, the second needs a buffer.
fn messages(from: u32) -> [Vec<u8>; 2] {
    let to = (from + 1) % ENDPOINTS;
    let short = format!("from {from} to {to}").into_bytes();
    let long = short.iter().copied().cycle().take(LONG).collect();
    [short, long]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _infallible = write!(hex, "{byte:02x}");
        hex
    })
}

/// A scenario of endpoints in a ring: each sends to the next on channel 1, and receives from the previous on channel 2.
/// The function `nic_of` returns the NIC of each endpoint. Of each three endpoints, one uses the base path and two have
/// different applets.
fn ring(nic_of: fn(u32) -> &'static str) -> String {
    let mut toml =
        String::from("[[nic]]\nname = 'a'\nsram = '64MiB'\n[[nic]]\nname = 'b'\nsram = '64MiB'\n");
    for this in 0..ENDPOINTS {
        let applet = match this % 3 {
            0 => "",
            1 => "applet = 'builtin:RawUnet'\n",
            _ => "applet = 'builtin:AckInNic'\n",
        };
        let nic = nic_of(this);
        let next = (this + 1) % ENDPOINTS;
        let _infallible = write!(
            toml,
            "[[endpoint]]\nnic = '{nic}'\nname = 'e{this}'\n{applet}buffer_area = 8192\n\
             free_buffers = {{ count = 2, length = 1024 }}\nheap = '12KiB'\n\
             [[channel]]\ne{this} = 1\ne{next} = 2\n"
        );
        for message in messages(this) {
            let _infallible = write!(
                toml,
                "[[send]]\nendpoint = 'e{this}'\nchannel = 1\npayload = {{ hex = '{}' }}\n",
                hex(&message)
            );
        }
    }
    toml
}

/// Runs a ring of endpoints. Compares the messages that every endpoint sent and received with the expected ones.
fn assert_all_arrives(nic_of: fn(u32) -> &'static str) {
    let trace = run(&ring(nic_of));
    let mut by_endpoint: BTreeMap<(&str, &str), Vec<&Value>> = BTreeMap::new();
    for event in &trace.events {
        if let (Some(endpoint), Some(name)) = (event["endpoint"].as_str(), event["event"].as_str())
        {
            by_endpoint.entry((endpoint, name)).or_default().push(event);
        }
    }
    for this in 0..ENDPOINTS {
        let name = format!("e{this}");
        let before = (this + ENDPOINTS - 1) % ENDPOINTS;
        let of = |event: &'static str| {
            let found = by_endpoint.get(&(name.as_str(), event));
            found.map_or(&[][..], Vec::as_slice)
        };
        let payloads = |event| -> Vec<&str> {
            let payloads = of(event).iter().map(|event| event["payload"].as_str());
            payloads
                .map(|payload| payload.expect("payloads are shown"))
                .collect()
        };
        let sent = messages(this).map(|message| hex(&message));
        let expected = messages(before).map(|message| hex(&message));
        assert_eq!(of("tx-post").len(), 2, "{name}");
        assert_eq!(payloads("wire-tx"), sent, "{name}");
        assert_eq!(payloads("wire-rx"), expected, "{name}");
        assert_eq!(payloads("rx-descriptor"), expected, "{name}");
        let done = of("tx-done");
        assert_eq!(done.len(), 2, "{name}");
        assert!(done.iter().all(|event| event["status"] == "ok"), "{name}");
        let received = of("rx-descriptor");
        assert!(received.iter().all(|event| event["channel"] == 2), "{name}");
        let inline: Vec<&Value> = received.iter().map(|event| &event["inline"]).collect();
        assert_eq!(inline, [true, false], "{name}");
        let calls = if this % 3 == 0 { 0 } else { 4 };
        let called = of("applet-call")
            .iter()
            .filter(|event| event["method"] == "doTx" || event["method"] == "doRx");
        assert_eq!(called.count(), calls, "{name}");
    }
    for bad in ["drop", "wire-drop", "trap"] {
        assert_eq!(trace.of(bad).len(), 0, "{bad}");
    }
}

#[test]
fn thousand_endpoints_on_one_nic_keep_their_messages() {
    assert_all_arrives(|_| "a");
}

#[test]
fn thousand_endpoints_on_two_nics_keep_their_messages() {
    assert_all_arrives(|endpoint| if endpoint % 2 == 0 { "a" } else { "b" });
}
