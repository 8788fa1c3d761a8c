//! The built-in scenarios of `jive run NAME`; each demonstrates one subject.

/// A built-in scenario.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Name on the command line.
    pub name: &'static str,
    /// A sentence that says what the scenario shows.
    pub summary: &'static str,
    /// The TOML text of the scenario.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal: $summary:literal;)+) => {
        /// All built-in scenarios. The first built-in scenario is the default of `jive run`.
        pub const BUILTIN: &[Builtin] = &[$(Builtin {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../scenarios/", $name, ".toml")),
        }),+];
    };
}

builtins! {
    "pingpong": "a client's messages of 5 to 9000 bytes and the server's echoes, RawUnet at both ends";
    "base-path": "the messages and echoes of the scenario pingpong without applets: standard U-Net";
    "contract": "an example scenario that explains the keys of the file format";
    "nic-pingpong": "PingPong answers messages inside the NIC, and the server's host sees no message";
    "single-buffer": "RawUnetSingle (Figure 2 of the U-Net/SLE paper): one free buffer holds any message";
    "direct": "a NIC receives directly into free buffers, and applets see the headers of packets alone";
    "drop": "Drop filters packets by their first byte before any DMA";
    "counter": "Counter counts packets by source channel and reports the counts";
    "lossy-link": "a link that loses, duplicates, corrupts and reorders packets";
    "swap": "a swap replaces the server's applet by another applet while packets arrive";
    "capsules": "a class travels in packets to three NICs without code, and becomes the applet of each NIC";
    "incast": "sixteen NICs send to one over a switch, and wait for its port";
    "all-to-all": "each of eight NICs at a fat tree sends a message to each other one";
    "loopback": "an endpoint joined to itself, and two endpoints of one NIC";
    "checksum": "Checksum fills in checksums on transmit, and drops a frame with a wrong checksum";
    "firewall": "Firewall delivers the frames that the host's rules permit";
    "policer": "Policer limits the rate of each channel";
    "token-flow": "TokenFlow sends no message for which the receiver has no buffer";
    "reliable": "Reliable delivers each message once and in order over a link with faults";
    "nat": "Nat translates addresses and ports between two channels";
    "key-value": "KeyValue answers requests to a table of its host from NIC memory";
    "multicast": "Multicast forwards the root's messages down a tree of NICs";
    "packet-placed": "PacketPlaced writes each payload at the window offset that its packet names";
    "active-messages": "ActiveMessages runs handlers in the NIC and on the host, and every request has an answer";
    "split-c": "SplitC answers get, put and fetch-and-add in the NIC";
    "stream": "Stream plays a frame each millisecond over a link with faults";
    "aggregate": "Aggregate gathers small messages into one packet";
    "barrier": "Barrier lets no user continue before all users have entered the barrier";
    "window-barrier": "WindowBarrier lets no NIC continue before all NICs have entered, without any host";
    "reduce": "Reduce adds vectors in a tree of NICs";
    "load-balance": "LoadBalance keeps each flow at one server";
    "chain": "three applets in a chain send messages over a link with faults";
    "via": "VIA in the NIC: echoes between VIs, with immediate data, segments and a completion queue";
    "javia": "Java programs on the hosts use VIA: arrays that are copied, and buffers that are not";
    "via-segments": "descriptors gather messages from several pieces of memory, over CLAN";
    "clan-ping": "two programs write to each other's memory without VIA, and a message takes 2.6 us";
    "clan-server": "a server without VIA answers requests in rings, also over a link that loses writes";
    "clan-switch": "four clients and their server without VIA share the ports of a five-port switch";
    "lmmc": "processes write to more pages than the link has frames, and read what others have written";
    "defer-send": "DeferSend makes a message wait until the peer has posted a receive descriptor";
    "split-request": "SplitRequest continues a long message in the next receive descriptors";
    "telemetry": "Telemetry stamps each packet with its time at each NIC, and reports counters";
}

/// Returns the built-in scenario with this name.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;

    #[test]
    fn every_shipped_scenario_is_right() {
        for builtin in BUILTIN {
            if let Err(mistakes) = parse(builtin.text.as_bytes(), None, None) {
                panic!("{}: {mistakes:?}", builtin.name);
            }
        }
    }
}
