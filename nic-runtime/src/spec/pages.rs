//! The messages of a program that writes to pages (LMMC).

/// Which pages a program writes, and when it waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PagePattern {
    /// The program writes to its first page, and waits for the answer to each message.
    Ping,
    /// The program writes to its first page, and waits for the answer to the last message.
    Stream,
    /// The program writes to each of its pages in turn, and waits for nothing.
    Scatter,
}

/// What a program writes to pages.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PageTraffic {
    /// Which pages the program writes, and when it waits.
    pub pattern: PagePattern,
    /// Number of messages.
    pub rounds: u32,
    /// Length of each message in bytes, with its number.
    pub length: u32,
}
