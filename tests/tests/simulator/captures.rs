//! What JIVE reads of a capture, compared with what tshark reads.

use std::fs;

use crate::runs::runs;
use nic_runtime::scenario::{CaptureError, CapturePacket, PacketStream};
use tests::captures::{self, Capture, LINKS, Packet, Shape};
use tests::skipped::skip;
use tests::tshark;

/// How many sections are joined in a file, because starting tshark takes longer than reading a file.
const JOINED: usize = 60;

/// Reads the packets of a capture up to its end or to an error.
fn read(file: &[u8]) -> (Vec<CapturePacket>, Option<CaptureError>) {
    let mut packets = Vec::new();
    let stream = match PacketStream::new(file) {
        Ok(stream) => stream,
        Err(error) => return (packets, Some(error)),
    };
    for packet in stream {
        match packet {
            Ok(packet) => packets.push(packet),
            Err(error) => return (packets, Some(error)),
        }
    }
    (packets, None)
}

/// Makes files: sections joined, of which only the last may be damaged, and pcap files.
fn files(count: u64) -> Vec<(String, Capture)> {
    let classic = (0..count / 8).map(|seed| {
        let name = format!("classic {seed}");
        (name, captures::classic(seed, Shape::ANY))
    });
    let sections: Vec<u64> = (count / 8..count).collect();
    let joined = sections.chunks(JOINED).map(|seeds| {
        let (last, others) = seeds.split_last().expect("chunks have seeds");
        let mut whole = Capture::default();
        let others = others
            .iter()
            .map(|seed| captures::section(*seed, Shape::ANY));
        let last = captures::last_section(*last, Shape::ANY);
        for section in others.chain([last]) {
            whole.file.extend(section.file);
            whole.packets.extend(section.packets);
            whole.is_damaged |= section.is_damaged;
            whole.cut = section.cut;
        }
        (format!("sections {seeds:?}"), whole)
    });
    classic.chain(joined).collect()
}

fn error_of(capture: &Capture) -> Option<CaptureError> {
    let behind = capture.packets.len();
    let cut = capture.cut.map(|(captured, length)| CaptureError::Cut {
        packet: behind + 1,
        captured,
        length,
    });
    cut.or(capture
        .is_damaged
        .then_some(CaptureError::Damaged { behind }))
}

#[test]
fn captures_are_read_as_tshark_reads_them() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("x.pcapng");
    let mut has_judge = true;
    let (mut count, mut fine) = (0, 0);
    for (name, capture) in files(runs(200)) {
        let (packets, error) = read(&capture.file);
        let made = capture.packets.iter().map(|packet| {
            let Packet {
                at, link, bytes, ..
            } = packet.clone();
            CapturePacket {
                at,
                link,
                bytes,
                missing: 0,
            }
        });
        let made: Vec<_> = made.collect();
        same(&name, &packets, &made);
        assert_eq!(error, error_of(&capture), "{name}");
        fs::write(&path, &capture.file).expect("it can be written");
        if !has_judge {
            continue;
        }
        let Some(judged) = tshark::read(&path) else {
            skip("captures read by tshark", "no `tshark` on the path");
            has_judge = false;
            continue;
        };
        // Tshark shows a packet of which only the beginning was captured, which JIVE refuses.
        let (shown, cut) = judged
            .packets
            .split_at(packets.len().min(judged.packets.len()));
        let cut = Vec::from_iter(cut.iter().map(|it| (it.bytes.len() as u32, it.length)));
        assert_eq!(cut, Vec::from_iter(capture.cut), "{name}");
        assert_eq!(judged.is_whole, !capture.is_damaged, "{name}");
        assert_eq!(shown.len(), packets.len(), "{name}");
        for (index, (shown, (packet, made))) in shown
            .iter()
            .zip(packets.iter().zip(&capture.packets))
            .enumerate()
        {
            count += 1;
            let (_, encapsulation) = LINKS[LINKS
                .iter()
                .position(|(link, _)| *link == packet.link)
                .expect("a known link type")];
            assert_eq!(shown.encapsulation, encapsulation, "{name}: {index}");
            assert!(shown.bytes == packet.bytes, "{name}: bytes of {index}");
            assert_eq!(shown.at.is_some(), packet.at.is_some(), "{name}: {index}");
            if made.is_fine {
                // The generator is the only judge.
                fine += 1;
            } else {
                let at = packet.at.map(|at| at.div_euclid(1_000));
                assert_eq!(shown.at, at, "{name}: {index}");
            }
        }
    }
    println!("{count} packets compared with tshark, {fine} of them without the time");
}

/// Asserts that two lists of packets are the same, without printing their bytes.
fn same(name: &str, read: &[CapturePacket], made: &[CapturePacket]) {
    let pairs = read.iter().zip(made);
    for (index, (read, made)) in pairs.enumerate() {
        assert_eq!(
            (read.at, read.link),
            (made.at, made.link),
            "{name}: {index}"
        );
        assert!(read.bytes == made.bytes, "{name}: bytes of {index}");
    }
    assert_eq!(read.len(), made.len(), "{name}");
}
