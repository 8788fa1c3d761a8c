//! The device's end of a line on which capsules come: from bytes to a class with its certificate.
//!
//! The line carries [frames](super::line) with fragments of certificates and classes. Nothing here judges a class: the
//! device checks it against the certificate, makes it the applet between two packets, and answers.

use super::capsule::{CapsuleRefusal, FragmentHeader, NotFragment, Part};
use super::line::FrameReader;
use super::reassembly::{CapsuleMemory, Reassembly, Taken};
use crate::time::SimTime;

/// Bytes in lent memory, of which the first ones are in use.
#[derive(Debug)]
pub struct LentBytes<'m> {
    memory: &'m mut [u8],
    length: usize,
}

impl CapsuleMemory for LentBytes<'_> {
    fn clear(&mut self) {
        self.length = 0;
    }

    fn append(&mut self, bytes: &[u8]) {
        let end = self.length.saturating_add(bytes.len());
        if let Some(place) = self.memory.get_mut(self.length..end) {
            place.copy_from_slice(bytes);
            self.length = end;
        }
    }

    fn bytes(&self) -> &[u8] {
        self.memory.get(..self.length).unwrap_or_default()
    }
}

/// The receiver of capsules on a line.
#[derive(Debug)]
pub struct CodeLine<'m> {
    frames: FrameReader<'m>,
    certificate: Reassembly<LentBytes<'m>>,
    class: Reassembly<LentBytes<'m>>,
    /// Lengths of the memory for the certificate and for the class.
    room: [u64; 2],
}

/// What a device has to do after a byte of the line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LineEvent {
    /// Nothing.
    Quiet,
    /// Answer the sender of a capsule.
    Answer {
        /// The number of the capsule.
        number: u32,
        /// The answer.
        text: &'static str,
    },
    /// Judge a class with its certificate, and then answer with [`CodeLine::answered`].
    Whole {
        /// The number of the capsule.
        number: u32,
    },
}

impl<'m> CodeLine<'m> {
    /// Returns a receiver in lent memory: [`FRAME_BYTES_MAX`](super::line::FRAME_BYTES_MAX) bytes for a frame, and as
    /// many bytes as the longest certificate and the longest class may have.
    #[must_use]
    pub fn new(
        frame: &'m mut [u8],
        certificate: &'m mut [u8],
        class: &'m mut [u8],
    ) -> CodeLine<'m> {
        let room = [certificate.len(), class.len()].map(|length| length as u64);
        let [certificate, class] =
            [certificate, class].map(|memory| Reassembly::new(LentBytes { memory, length: 0 }));
        CodeLine {
            frames: FrameReader::new(frame),
            certificate,
            class,
            room,
        }
    }

    /// Takes the next byte of the line.
    pub fn take(&mut self, byte: u8) -> LineEvent {
        let Some(packet) = self.frames.take(byte) else {
            return LineEvent::Quiet;
        };
        let [certificate_room, class_room] = self.room;
        // Without a clock, capsules are given up by `give_up` alone.
        let now = SimTime::ZERO;
        let (number, taken) = match FragmentHeader::read_part(Part::Certificate, packet) {
            Ok((header, bytes)) => {
                let taken = self
                    .certificate
                    .take(header, bytes, (certificate_room, now));
                let taken = match taken {
                    // The class follows, and its answer is the capsule's.
                    Taken::Whole => Taken::More,
                    taken => taken,
                };
                (header.number, taken)
            }
            Err(NotFragment {
                number: Some(number),
                reason,
            }) => (number, Taken::Refused(reason)),
            Err(NotFragment { number: None, .. }) => match FragmentHeader::read(packet) {
                Ok((header, _)) if self.certificate.whole() != Some(header.number) => {
                    // One refusal for each class is enough.
                    let taken = match header.offset {
                        0 => Taken::Refused(CapsuleRefusal::Gap),
                        _ => Taken::Ignored,
                    };
                    (header.number, taken)
                }
                Ok((header, bytes)) => {
                    let taken = self.class.take(header, bytes, (class_room, now));
                    (header.number, taken)
                }
                Err(NotFragment {
                    number: Some(number),
                    reason,
                }) => (number, Taken::Refused(reason)),
                // A packet without a capsule number cannot be answered.
                Err(NotFragment { number: None, .. }) => return LineEvent::Quiet,
            },
        };
        match taken {
            Taken::More | Taken::Ignored => LineEvent::Quiet,
            Taken::Again(text) => LineEvent::Answer { number, text },
            Taken::Refused(reason) => LineEvent::Answer {
                number,
                text: reason.word(),
            },
            Taken::Whole => LineEvent::Whole { number },
        }
    }

    /// Gives up half a capsule, because the line has been silent for too long. Returns the number of the capsule, whose
    /// sender is told of a [gap](CapsuleRefusal::Gap).
    pub fn give_up(&mut self) -> Option<u32> {
        let certificate = self.certificate.give_up();
        let class = self.class.give_up();
        class.or(certificate)
    }

    /// Returns the class file of a capsule that is [whole](LineEvent::Whole).
    #[must_use]
    pub fn class(&self) -> &[u8] {
        self.class.memory().bytes()
    }

    /// Returns the certificate of a capsule that is [whole](LineEvent::Whole).
    #[must_use]
    pub fn certificate(&self) -> &[u8] {
        self.certificate.memory().bytes()
    }

    /// Keeps the answer to a capsule that is [whole](LineEvent::Whole), in case its sender does not get it and asks
    /// again.
    pub fn answered(&mut self, number: u32, text: &'static str) {
        self.class.answered(number, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::sle::capsule::{INSTALLED, checksum};
    use crate::sle::line::{FRAME_BYTES_MAX, LINE_FRAGMENT_BYTES, frame};

    const CERTIFICATE: &[u8] = &[0xc0; 300];
    const CLASS: &[u8] = &[0xca; 700];

    /// Returns the bytes of a capsule on a line, frame by frame.
    fn capsule(number: u32, certificate: &[u8], class: &[u8]) -> Vec<Vec<u8>> {
        let parts = [(Part::Certificate, certificate), (Part::Class, class)];
        let fragments = parts.into_iter().flat_map(|(part, whole)| {
            let chunks = whole.chunks(LINE_FRAGMENT_BYTES).zip(0u32..);
            chunks.map(move |(bytes, index)| {
                let header = FragmentHeader {
                    number,
                    total: whole.len() as u32,
                    offset: index * LINE_FRAGMENT_BYTES as u32,
                    checksum: checksum(whole),
                };
                frame(&[&header.to_bytes_of(part)[..], bytes].concat()).collect()
            })
        });
        fragments.collect()
    }

    /// A line, with the memory of its device.
    struct Memory([u8; FRAME_BYTES_MAX], [u8; 512], [u8; 1024]);

    impl Memory {
        fn new() -> Memory {
            Memory([0; FRAME_BYTES_MAX], [0; 512], [0; 1024])
        }

        fn line(&mut self) -> CodeLine<'_> {
            CodeLine::new(&mut self.0, &mut self.1, &mut self.2)
        }
    }

    /// Returns what the device has to do after these bytes.
    fn events(line: &mut CodeLine<'_>, bytes: &[u8]) -> Vec<LineEvent> {
        let events = bytes.iter().map(|byte| line.take(*byte));
        events.filter(|event| *event != LineEvent::Quiet).collect()
    }

    fn answer(number: u32, reason: CapsuleRefusal) -> LineEvent {
        LineEvent::Answer {
            number,
            text: reason.word(),
        }
    }

    #[test]
    fn a_class_comes_with_its_certificate_again_and_again() {
        let mut memory = Memory::new();
        let mut line = memory.line();
        for number in 1..4 {
            let sent = capsule(number, CERTIFICATE, CLASS).concat();
            assert_eq!(events(&mut line, &sent), [LineEvent::Whole { number }]);
            assert_eq!(line.class(), CLASS);
            assert_eq!(line.certificate(), CERTIFICATE);
            line.answered(number, INSTALLED);
            // A sender that missed the answer sends the capsule again.
            let again = LineEvent::Answer {
                number,
                text: INSTALLED,
            };
            assert_eq!(events(&mut line, &sent), [again]);
        }
        let stale = answer(2, CapsuleRefusal::Stale);
        let sent = capsule(2, CERTIFICATE, CLASS).concat();
        let gap = answer(2, CapsuleRefusal::Gap);
        assert_eq!(events(&mut line, &sent), [stale, gap]);
    }

    #[test]
    fn each_lost_frame_is_a_gap_and_the_capsule_can_be_sent_again() {
        let frames = capsule(5, CERTIFICATE, CLASS);
        // The first certificate's frame, its last, and each frame of the class.
        for lost in 0..frames.len() {
            let mut memory = Memory::new();
            let mut line = memory.line();
            let mut some = frames.clone();
            some.remove(lost);
            let found = events(&mut line, &some.concat());
            let is_last = lost == frames.len() - 1;
            let gap = answer(5, CapsuleRefusal::Gap);
            let gaps = match lost {
                // The certificate is told apart from the class, which lacks it.
                0 => vec![gap, gap],
                1 => vec![gap],
                _ if is_last => vec![],
                _ => vec![gap],
            };
            assert_eq!(found, gaps, "{lost}");
            let is_half = (lost == 1 || is_last).then_some(5);
            assert_eq!(line.give_up(), is_half, "{lost}");
            let whole = [LineEvent::Whole { number: 5 }];
            assert_eq!(events(&mut line, &frames.concat()), whole, "{lost}");
            assert_eq!(line.class(), CLASS);
        }
    }

    #[test]
    fn parts_that_are_too_long_are_refused() {
        let mut memory = Memory::new();
        let mut line = memory.line();
        let (number, no_room) = (1, answer(1, CapsuleRefusal::NoSram));
        let sent = capsule(number, &[1; 513], CLASS).concat();
        let gap = answer(1, CapsuleRefusal::Gap);
        assert_eq!(events(&mut line, &sent), [no_room, gap]);
        let sent = capsule(number, &[1; 512], &[2; 1025]).concat();
        assert_eq!(events(&mut line, &sent), [no_room]);
        let sent = capsule(2, &[1; 512], &[2; 1024]).concat();
        assert_eq!(events(&mut line, &sent), [LineEvent::Whole { number: 2 }]);
    }

    #[test]
    fn a_class_whose_fragments_were_changed_is_no_class() {
        // The frames are right, and the class is not the one whose checksum the fragments state.
        let mut frames = capsule(3, CERTIFICATE, CLASS);
        let other = capsule(3, CERTIFICATE, &[0xcb; 700]);
        let header = FragmentHeader {
            number: 3,
            total: 700,
            offset: 512,
            checksum: checksum(CLASS),
        };
        let changed = [&header.to_bytes()[..], &[0xcb; 188]].concat();
        *frames.last_mut().expect("frames") = frame(&changed).collect();
        let mut memory = Memory::new();
        let mut line = memory.line();
        let refused = [answer(3, CapsuleRefusal::Checksum)];
        assert_eq!(events(&mut line, &frames.concat()), refused);
        // A fragment of another class with the same number.
        frames = capsule(4, CERTIFICATE, CLASS);
        let mut mixed = frames[..3].to_vec();
        mixed.push(capsule(4, CERTIFICATE, &[0xcb; 700])[3].clone());
        let refused = [answer(4, CapsuleRefusal::Mismatch)];
        assert_eq!(events(&mut line, &mixed.concat()), refused);
        let whole = capsule(5, CERTIFICATE, CLASS).concat();
        assert_eq!(events(&mut line, &whole), [LineEvent::Whole { number: 5 }]);
        assert_eq!(other.len(), frames.len());
    }

    #[test]
    fn random_damage_never_makes_another_class() {
        let mut random = Generator::named(7, &["code line"]);
        let mut memory = Memory::new();
        let mut line = memory.line();
        let mut wholes = 0;
        for number in (1..800).step_by(2) {
            let mut bytes = capsule(number, CERTIFICATE, CLASS).concat();
            for _ in 0..random.draw() % 4 {
                let place = random.draw() as usize % bytes.len();
                match random.draw() % 3 {
                    0 => bytes[place] ^= 1 << (random.draw() % 8),
                    1 => bytes.truncate(place),
                    _ => {
                        bytes.remove(place);
                    }
                }
                if bytes.is_empty() {
                    break;
                }
            }
            for byte in bytes {
                if let LineEvent::Whole { number: found } = line.take(byte) {
                    assert_eq!(found, number);
                    assert_eq!((line.class(), line.certificate()), (CLASS, CERTIFICATE));
                    wholes += 1;
                }
            }
            // A good capsule follows, whatever the line has seen.
            let number = number + 1;
            let good = capsule(number, CERTIFICATE, CLASS).concat();
            assert_eq!(events(&mut line, &good), [LineEvent::Whole { number }]);
        }
        assert!((50..350).contains(&wholes), "{wholes}");
    }
}
