//! `jive run --applet --in --out`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use pcap_file::DataLink;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::process::Ended;
use crate::{classes, jive_in, words};

/// Writes a pcap file of Ethernet frames, each with its time in microseconds.
fn write_pcap(path: &Path, packets: impl Iterator<Item = (u64, Vec<u8>)>) {
    let words =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let mut file = words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
    for (micros, bytes) in packets {
        let length = u32::try_from(bytes.len()).expect("short");
        let seconds = u32::try_from(micros / 1_000_000).expect("soon");
        let rest = u32::try_from(micros % 1_000_000).expect("below a million");
        file.extend(words(&[seconds, rest, length, length]));
        file.extend(bytes);
    }
    fs::write(path, file).expect("it can be written");
}

/// A packet of a result: its time, its bytes, its comment and the name of its interface.
type Seen = (Duration, Vec<u8>, String, String);

fn read_result(path: &Path) -> (DataLink, Vec<Seen>) {
    let file = fs::File::open(path).expect("it was written");
    let mut reader = PcapNgReader::new(file).expect("it is pcapng");
    let mut seen = Vec::new();
    let mut names = Vec::new();
    let mut link = DataLink::NULL;
    while let Some(block) = reader.next_block() {
        match block.expect("it is whole").into_owned() {
            Block::InterfaceDescription(interface) => {
                link = interface.linktype;
                let name = interface.options.iter().find_map(|option| match option {
                    pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                });
                names.push(name.expect("it has a name"));
            }
            Block::EnhancedPacket(packet) => {
                let comment = packet.options.iter().find_map(|option| match option {
                    EnhancedPacketOption::Comment(comment) => Some(comment.to_string()),
                    _ => None,
                });
                let name = names[packet.interface_id as usize].clone();
                seen.push((
                    packet.timestamp,
                    packet.data.to_vec(),
                    comment.expect("it has one"),
                    name,
                ));
            }
            _ => {}
        }
    }
    (link, seen)
}

fn run(directory: &Path, line: &str) -> Ended {
    jive_in(
        directory,
        words(&format!("run --in in.pcap --out out.pcapng {line}")),
        b"",
    )
}

/// Returns a directory with a capture of five frames, a millisecond apart; `Drop` drops the frames that begin with `x`.
fn five() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let packets = [b"ab", b"xb", b"cd", b"xd", b"ef"].into_iter().zip(0u64..);
    let packets = packets.map(|(bytes, number)| (5_000_000 + number * 1_000, bytes.to_vec()));
    write_pcap(&directory.path().join("in.pcap"), packets);
    directory
}

#[test]
fn each_packet_is_shown_with_time_and_outcome() {
    let directory = five();
    let ended = run(directory.path(), "--applet builtin:Drop");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let (link, seen) = read_result(&directory.path().join("out.pcapng"));
    assert_eq!(link, DataLink::ETHERNET);
    let bytes: Vec<_> = seen.iter().map(|(_, bytes, ..)| &bytes[..]).collect();
    assert_eq!(bytes, [b"ab", b"xb", b"cd", b"xd", b"ef"]);
    for (number, (time, _, comment, name)) in (0u64..).zip(&seen) {
        assert_eq!(*time, Duration::from_millis(number), "{comment}");
        assert_eq!(name, "nic wire-rx");
        let verdict = if number % 2 == 0 {
            "delivered; doRx returned "
        } else {
            "not delivered by the applet; doRx returned "
        };
        assert!(
            comment.contains(verdict) && comment.ends_with(" bytecodes"),
            "{comment}"
        );
    }
}

#[test]
fn a_trap_is_in_the_comment_with_method_and_line() {
    let directory = five();
    fs::copy(
        classes().join("Trapper.class"),
        directory.path().join("Trapper.class"),
    )
    .expect("it can be copied");
    let ended = run(directory.path(), "--applet Trapper.class --count 1");
    assert_eq!(ended.status, 0, "{}", ended.err);
    let (_, seen) = read_result(&directory.path().join("out.pcapng"));
    let comment = &seen[0].2;
    let trap = "trap: ArithmeticException at pc 24 (line 18), behind its descriptor: dividend 2, divisor 0; in doRx";
    assert!(comment.ends_with(trap), "{comment}");
}

#[test]
fn packets_are_skipped_counted_and_filtered() {
    let directory = five();
    let arrived = |line: &str| {
        let ended = run(directory.path(), &format!("--applet builtin:Drop {line}"));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let (_, seen) = read_result(&directory.path().join("out.pcapng"));
        let texts = seen
            .into_iter()
            .map(|(_, bytes, ..)| String::from_utf8(bytes).expect("text"));
        texts.collect::<Vec<_>>()
    };
    assert_eq!(arrived("--skip 1 --count 3"), ["xb", "cd", "xd"]);
    assert_eq!(arrived("--filter 0:1=78"), ["xb", "xd"]);
    assert_eq!(
        arrived("--filter 0:1!=78 --filter 1:1!=62 --count 1"),
        ["cd"]
    );
    assert_eq!(arrived("--filter len>2"), Vec::<String>::new());
    let wrong = run(directory.path(), "--applet builtin:Drop --filter size>2");
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("as in `len>=60`"), "{}", wrong.err);
}

#[test]
fn taps_are_chosen() {
    let directory = five();
    let names = |line: &str| {
        let ended = run(directory.path(), line);
        assert_eq!(ended.status, 0, "{}", ended.err);
        let (_, seen) = read_result(&directory.path().join("out.pcapng"));
        seen.into_iter().map(|(.., name)| name).collect::<Vec<_>>()
    };
    assert_eq!(
        names("--applet builtin:Drop --tap host-rx"),
        ["nic host-rx"; 3]
    );
    assert_eq!(
        names("--applet builtin:PingPong --tap wire-tx --count 2"),
        ["nic wire-tx"; 2]
    );
    let wrong = run(directory.path(), "--applet builtin:Drop --tap wire");
    assert!(
        wrong
            .err
            .contains("expected one of host-tx, wire-tx, port-tx, wire-rx, host-rx"),
        "{}",
        wrong.err
    );
}

#[test]
fn what_is_wrong_with_the_files_is_said() {
    let directory = five();
    let at = |line: &str| jive_in(directory.path(), words(line), b"");
    let absent = at("run --applet builtin:Drop --in absent.pcap");
    assert_eq!(absent.status, 2);
    assert!(
        absent.err.contains("cannot read absent.pcap: no such file"),
        "{}",
        absent.err
    );
    let same = at("run --applet builtin:Drop --in in.pcap --out in.pcap");
    assert!(
        same.err.contains("the command reads it as in.pcap"),
        "{}",
        same.err
    );
    assert_eq!(at("run --applet builtin:Drop").status, 2);
    assert_eq!(at("run --out x").status, 2);
    // From a damaged capture, the packets before the damage arrive.
    let whole = fs::read(directory.path().join("in.pcap")).expect("it was written");
    fs::write(directory.path().join("in.pcap"), &whole[..whole.len() - 1])
        .expect("it can be written");
    let cut = run(directory.path(), "--applet builtin:Drop");
    assert_eq!(cut.status, 2);
    assert!(
        cut.err.contains("found damage behind packet 4"),
        "{}",
        cut.err
    );
    assert_eq!(read_result(&directory.path().join("out.pcapng")).1.len(), 4);
}

#[test]
fn a_capture_of_200_000_packets_is_read_to_its_end() {
    const COUNT: u64 = 200_000;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let packets = (0..COUNT).map(|number| (number * 100, number.to_be_bytes().to_vec()));
    write_pcap(&directory.path().join("in.pcap"), packets);
    let ended = run(directory.path(), "--applet builtin:Drop --dump");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    let (_, seen) = read_result(&directory.path().join("out.pcapng"));
    assert_eq!(seen.len() as u64, COUNT);
    let (time, bytes, ..) = seen.last().expect("it has packets");
    assert_eq!(bytes[..], (COUNT - 1).to_be_bytes());
    assert_eq!(*time, Duration::from_micros((COUNT - 1) * 100));
}
