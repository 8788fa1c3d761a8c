//! The tables of shipped applets and programs. The constants, [`ALL`] and [`PROGRAMS`] are generated from them.

/// A shipped applet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Applet {
    /// Name of the applet's class, which also selects the applet after `builtin:`.
    pub name: &'static str,
    /// The class file.
    pub class: &'static [u8],
    /// The Java source from which the class file was compiled.
    pub source: &'static str,
    /// What the applet does, in a sentence.
    pub summary: &'static str,
    /// Whether the applet is for NICs that receive directly into free buffers, and has no `RxBuf`.
    pub receives_directly: bool,
}

macro_rules! applets {
    ($( #[doc = $summary:literal] $constant:ident = $name:literal $(, $direct:ident)?; )+) => {
        $(
            #[doc = $summary]
            pub const $constant: Applet = Applet {
                name: $name,
                class: include_bytes!(concat!("../class/", $name, ".class")),
                source: include_str!(concat!("../java/", $name, ".java")),
                summary: $summary.trim_ascii(),
                receives_directly: applets!(@is_direct $($direct)?),
            };
        )+

        /// Every shipped applet.
        pub const ALL: &[Applet] = &[$($constant),+];
    };
    (@is_direct) => { false };
    (@is_direct direct) => { true };
}

applets! {
    /// Implements standard U-Net, including messages in several free buffers.
    RAW_UNET = "RawUnet";
    /// The sample applet of the U-Net/SLE paper (Figure 2), corrected so that it compiles.
    RAW_UNET_SINGLE = "RawUnetSingle";
    /// Answers packets inside the NIC, so that the host sees no packets.
    PING_PONG = "PingPong";
    /// Drops packets whose first byte is `x` and delivers all others.
    DROP = "Drop";
    /// Counts packets by source channel and reports the counts to the host.
    COUNTER = "Counter";
    /// Sends each message 25 times, with one transmit-side DMA.
    BURST_25 = "Burst25";
    /// Acknowledges every 25th packet between two applets, without the users' hosts.
    ACK_IN_NIC = "AckInNic";
    /// Generates the data that it sends, without any transmit-side DMA.
    GENERATOR = "Generator";
    /// Calls a native that does almost nothing, to measure the cost of a call.
    NULL_CALL = "NullCall";
    /// Fills in and verifies IPv4 and UDP checksums.
    CHECKSUM = "Checksum";
    /// Delivers the IPv4 frames that the host's rules permit.
    FIREWALL = "Firewall";
    /// Implements standard U-Net on a NIC that receives directly into free buffers.
    DIRECT_UNET = "DirectUnet", direct;
    /// Counts packets as `Counter` does, on a NIC that receives directly.
    DIRECT_COUNTER = "DirectCounter", direct;
    /// Delivers the IPv4 frames that the host's rules permit, on a NIC that receives directly.
    DIRECT_FIREWALL = "DirectFirewall", direct;
    /// Limits the rate of each source channel.
    POLICER = "Policer";
    /// Sends no message for which the receiver has no buffer; `doRefill` returns a token for each buffer.
    TOKEN_FLOW = "TokenFlow";
    /// Makes a message of a VI wait until the peer has posted a receive descriptor.
    DEFER_SEND = "DeferSend";
    /// Continues a long message of a VI in the next receive descriptors.
    SPLIT_REQUEST = "SplitRequest";
    /// Delivers each message exactly once and in order over an unreliable link.
    RELIABLE = "Reliable";
    /// Translates IPv4 addresses and ports between two channels.
    NAT = "Nat";
    /// Answers requests to a key-value table from NIC memory.
    KEY_VALUE = "KeyValue";
    /// Forwards messages down a tree of NICs.
    MULTICAST = "Multicast";
    /// Writes the payload of each packet at the offset of a window that the packet names.
    PACKET_PLACED = "PacketPlaced";
    /// Runs the handler that a request names, in the NIC or on the host.
    ACTIVE_MESSAGES = "ActiveMessages";
    /// Answers get, put and fetch-and-add on words of the host's memory.
    SPLIT_C = "SplitC";
    /// Gives the host one frame of a stream each period, at a constant delay.
    STREAM = "Stream";
    /// Gathers small messages into one packet.
    AGGREGATE = "Aggregate";
    /// Holds users at a barrier until all users have entered the barrier.
    BARRIER = "Barrier";
    /// Holds NICs at a barrier until all NICs have entered the barrier, by writes to watched windows.
    WINDOW_BARRIER = "WindowBarrier";
    /// Adds vectors in a tree of NICs.
    REDUCE = "Reduce";
    /// Spreads flows over servers, and keeps each flow at one server.
    LOAD_BALANCE = "LoadBalance";
    /// Adds to each packet the time at which each NIC saw the packet, and reports counters.
    TELEMETRY = "Telemetry";
}

/// A shipped program: a class that runs on the host.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Name of the program's class, which also selects the program after `class:builtin:`.
    pub name: &'static str,
    /// The class file.
    pub class: &'static [u8],
    /// The Java source from which the class file was compiled.
    pub source: &'static str,
    /// What the program does, in a sentence.
    pub summary: &'static str,
}

macro_rules! programs {
    ($( #[doc = $summary:literal] $constant:ident = $name:literal; )+) => {
        $(
            #[doc = $summary]
            pub const $constant: Program = Program {
                name: $name,
                class: include_bytes!(concat!("../programs/class/", $name, ".class")),
                source: include_str!(concat!("../programs/java/", $name, ".java")),
                summary: $summary.trim_ascii(),
            };
        )+

        /// Every shipped program.
        pub const PROGRAMS: &[Program] = &[$($constant),+];
    };
}

programs! {
    /// Sends messages to `Pong`, and measures the time until the answers have come.
    PING = "Ping";
    /// Answers the messages of `Ping`.
    PONG = "Pong";
    /// Sends a stream of messages to `Drain`, which gives credits for them.
    SOURCE = "Source";
    /// Receives the stream of `Source`, and measures the time that it takes.
    DRAIN = "Drain";
    /// Asks `Server` for connections: too early, with the wrong tag, and twice with the right one.
    RECONNECT = "Reconnect";
    /// Accepts two connections of `Reconnect` one after the other.
    SERVER = "Server";
    /// Exchanges arrays of each type with another `Kinds`, by each set of natives.
    KINDS = "Kinds";
    /// Answers the messages of many `Ping`s, each at a VI of its own, in turn.
    TURNS = "Turns";
}

/// The class file of `experiments/Fresh.java`: the base path as an applet that makes new arrays for each message. It is no
/// shipped applet; `jive paper` measures it with and without a collector.
pub const FRESH: &[u8] = include_bytes!("../experiments/Fresh.class");

/// The Java stub `unet/Nic.java`, against which applets compile.
pub const NIC_STUB: &str = include_str!("../java/unet/Nic.java");

/// The Java stub `via/Via.java`, against which programs compile.
pub const VIA_STUB: &str = include_str!("../programs/java/via/Via.java");

/// A jar of classes and sources that implement the natives in plain Java: an applet runs over them on OpenJDK.
/// `model/build.sh` builds the jar from `model/src`.
pub const MODEL_JAR: &[u8] = include_bytes!("../model/jive-model.jar");

/// A jar with an annotation processor by which javac gives each applet to `jive verify`. `javac/build.sh` builds the jar
/// from `javac/src`.
pub const JAVAC_JAR: &[u8] = include_bytes!("../javac/jive-javac.jar");

/// Returns the shipped applets for NICs that receive into `RxBuf`.
pub fn staged() -> impl Iterator<Item = &'static Applet> {
    ALL.iter().filter(|applet| !applet.receives_directly)
}

/// Returns the applet that `builtin:name` selects.
pub fn builtin(name: &str) -> Option<&'static Applet> {
    ALL.iter().find(|applet| applet.name == name)
}

/// Returns the program that `class:builtin:name` selects.
pub fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applets_are_found_by_exact_name() {
        assert_eq!(builtin("RawUnet"), Some(&RAW_UNET));
        assert_eq!(builtin("rawunet"), None);
        assert_eq!(builtin(""), None);
        assert_eq!(builtin("Ping"), None);
        assert_eq!(program("Ping"), Some(&PING));
    }
}
