//! A file as its writer meant it: what gzip compressed is read as the bytes before.

use std::io::{self, Cursor, ErrorKind, Read};

use flate2::read::MultiGzDecoder;

/// The first two bytes of a file that gzip wrote (RFC 1952 §2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file whose first bytes were read already.
type Rewound<R> = io::Chain<io::Take<Cursor<[u8; 2]>>, R>;

/// A file, compressed or not, of which a limited number of bytes is read.
pub(super) struct Unpacked<R: Read> {
    file: Form<R>,
    /// How many more bytes may be read. A short compressed file may hold very many.
    pub(super) left: u64,
}

/// Whether a file is compressed. Its first bytes tell, and not its name.
enum Form<R: Read> {
    Plain(Rewound<R>),
    Gzip(Box<MultiGzDecoder<Rewound<R>>>),
}

impl<R: Read> Unpacked<R> {
    pub(super) fn new(mut reader: R) -> io::Result<Unpacked<R>> {
        let mut first = [0; 2];
        let mut read = 0;
        while read < first.len() {
            match reader.read(&mut first[read..]) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let rewound = Cursor::new(first).take(read as u64).chain(reader);
        let file = match (first, read) {
            (GZIP, 2) => Form::Gzip(Box::new(MultiGzDecoder::new(rewound))),
            _ => Form::Plain(rewound),
        };
        let left = u64::MAX;
        Ok(Unpacked { file, left })
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.file {
            Form::Plain(file) => file.read(into),
            Form::Gzip(file) => file.read(into),
        }?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or(ErrorKind::FileTooLarge)?;
        Ok(read)
    }
}
