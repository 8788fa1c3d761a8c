//! Programs that write to pages and wait for words of pages (LMMC).
//!
//! A message of theirs is a store at the beginning of a page. Its last four bytes are the message's number, the lowest
//! byte first, so a reader that waits for this word has all of the message when the number changes: the bytes of a store
//! arrive together, and stores to a port arrive in order.

mod echo;
mod layout;
mod writer;

pub use echo::PageEcho;
pub use layout::{NUMBER_BYTES, PagesOf};
pub use writer::PageWriter;
