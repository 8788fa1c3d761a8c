//! Windows: ranges of memory that a peer may write.

use crate::id::EndpointId;
use crate::memory::{HostSpan, OutOfRegion, Region};
use crate::storage::{List, Storage};

/// Maximum number of windows in a table that has no allocator. Chosen, not measured.
const WINDOWS_MAX: usize = 32;

/// Number of a window. The number of a window serves as the cookie of its range: only the window's writer can use it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowId(pub u32);

/// Why a window does not open, or a write to it is refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The node has no window with this number, or the window is closed.
    #[error("expected an open window, found number {}", window.0)]
    NotOpen {
        /// The number.
        window: WindowId,
    },
    /// Only another node may write to this window.
    #[error("expected a window of its writer, found number {}", window.0)]
    NotWriter {
        /// The number.
        window: WindowId,
    },
    /// The bytes of the write or of the window lie outside the range.
    #[error(transparent)]
    Outside(#[from] OutOfRegion),
    /// The table is full.
    #[error("expected room for another window, found {WINDOWS_MAX}")]
    Full,
}

/// The windows of a node. Numbers of windows are not reused, so the number of a closed window gives access to nothing.
/// The memory of closed windows is used again.
#[derive(Clone, Debug)]
pub struct Windows<S: Storage> {
    /// Sorted by number. At most half of the windows are closed.
    list: S::List<Window, WINDOWS_MAX>,
    closed: u32,
    next: u32,
}

#[derive(Copy, Clone, Debug)]
struct Window {
    number: u32,
    region: Region,
    start: u32,
    length: u32,
    writer: EndpointId,
    is_open: bool,
}

impl<S: Storage> Default for Windows<S> {
    fn default() -> Windows<S> {
        Windows {
            list: S::List::default(),
            closed: 0,
            next: 0,
        }
    }
}

impl<S: Storage> Windows<S> {
    /// Opens a range of a region as a window for a writer.
    ///
    /// # Errors
    ///
    /// Returns [`WindowError::Outside`] if the range is not inside the region, and [`WindowError::Full`] if a table
    /// without an allocator is full.
    pub fn open(
        &mut self,
        region: Region,
        (start, length): (u32, u32),
        writer: EndpointId,
    ) -> Result<WindowId, WindowError> {
        region.span(start.into(), length.into())?;
        let number = self.next;
        let next = number.checked_add(1).ok_or(WindowError::Full)?;
        let window = Window {
            number,
            region,
            start,
            length,
            writer,
            is_open: true,
        };
        if !self.list.push(window) {
            self.forget_closed();
            if !self.list.push(window) {
                return Err(WindowError::Full);
            }
        }
        self.next = next;
        Ok(WindowId(number))
    }

    /// Opens a span of memory as a window for a writer.
    ///
    /// # Errors
    ///
    /// Returns [`WindowError::Full`] if a table without an allocator is full.
    pub fn open_span(
        &mut self,
        span: HostSpan,
        writer: EndpointId,
    ) -> Result<WindowId, WindowError> {
        let region = Region::new(span.region(), u32::MAX);
        self.open(region, (span.offset(), span.length()), writer)
    }

    /// Returns the place of a window in the list.
    fn place(&self, window: WindowId) -> Option<usize> {
        let WindowId(number) = window;
        // Until a window has been forgotten, the number is the place.
        let guess = number as usize;
        let is_there = |window: &Window| window.number == number;
        if self.list.get(guess).is_some_and(is_there) {
            return Some(guess);
        }
        let found = self
            .list
            .binary_search_by_key(&number, |window| window.number);
        found.ok()
    }

    /// Removes the closed windows from the list.
    fn forget_closed(&mut self) {
        let mut kept = 0;
        for place in 0..self.list.len() {
            if self.list[place].is_open {
                self.list.swap(kept, place);
                kept += 1;
            }
        }
        while self.list.len() > kept {
            self.list.pop();
        }
        self.closed = 0;
    }

    /// Closes a window, so that later writes to it are refused.
    pub fn close(&mut self, window: WindowId) {
        let place = self.place(window);
        let Some(window) = place.and_then(|place| self.list.get_mut(place)) else {
            return;
        };
        self.closed += u32::from(window.is_open);
        window.is_open = false;
        if self.closed as usize * 2 > self.list.len() {
            self.forget_closed();
        }
    }

    /// Returns the span of bytes that a write to a window changes.
    ///
    /// # Errors
    ///
    /// Returns the reason for which the write is refused.
    pub fn resolve(
        &self,
        window: WindowId,
        writer: EndpointId,
        (offset, length): (u32, u32),
    ) -> Result<HostSpan, WindowError> {
        let number = window;
        let window = self.place(number).and_then(|place| self.list.get(place));
        let window = window.filter(|window| window.is_open);
        let window = window.ok_or(WindowError::NotOpen { window: number })?;
        if window.writer != writer {
            return Err(WindowError::NotWriter { window: number });
        }
        // For its writer, the window is a region of its own.
        Region::sole(window.length).span(offset.into(), length.into())?;
        let start = i64::from(window.start) + i64::from(offset);
        Ok(window.region.span(start, length.into())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    #[test]
    fn a_write_stays_inside_its_window() {
        let mut windows = Windows::<Fixed>::default();
        let region = Region::new(5, 100);
        let writer = EndpointId(7);
        let outside = windows.open(region, (90, 11), writer);
        assert!(
            matches!(outside, Err(WindowError::Outside(_))),
            "{outside:?}"
        );
        let window = windows.open(region, (40, 20), writer).unwrap();
        let span = windows.resolve(window, writer, (15, 5)).unwrap();
        assert_eq!((span.region(), span.range()), (5, 55..60));
        for beyond in [(15, 6), (21, 0), (u32::MAX, 1), (0, u32::MAX)] {
            let refused = windows.resolve(window, writer, beyond);
            assert!(
                matches!(refused, Err(WindowError::Outside(_))),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn closed_windows_free_memory_but_keep_numbers() {
        // A plain list of all windows ever opened says which are open.
        let mut generator = crate::random::Generator::named(1, &["windows"]);
        let mut windows = Windows::<Fixed>::default();
        let mut open = Vec::new();
        let writer = EndpointId(3);
        for _ in 0..3_000 {
            if generator.draw().is_multiple_of(2) {
                let opened = windows.open(Region::sole(8), (0, 8), writer);
                match opened {
                    Ok(window) => {
                        assert_eq!(window.0 as usize, open.len());
                        open.push(true);
                    }
                    Err(error) => {
                        assert_eq!(error, WindowError::Full);
                        assert_eq!(open.iter().filter(|open| **open).count(), WINDOWS_MAX);
                    }
                }
            } else if !open.is_empty() {
                // Now and then a window is closed twice, or one that was never open.
                let any = (generator.draw() % (open.len() as u64 + 2)) as usize;
                let from = open.iter().skip(any).position(|open| *open);
                let number = any + from.filter(|_| !any.is_multiple_of(4)).unwrap_or(0);
                windows.close(WindowId(number as u32));
                if let Some(open) = open.get_mut(number) {
                    *open = false;
                }
            }
            for (number, is_open) in (0u32..).zip(&open) {
                let found = windows.resolve(WindowId(number), writer, (0, 1));
                assert_eq!(found.is_ok(), *is_open, "{number}");
            }
            let count = open.iter().filter(|open| **open).count();
            assert!(windows.list.len() <= 2 * count, "{count}");
        }
        assert!(open.len() > 500, "{}", open.len());
    }

    #[test]
    fn only_the_writer_writes_and_only_while_the_window_is_open() {
        let mut windows = Windows::<Fixed>::default();
        let window = windows
            .open(Region::sole(8), (0, 8), EndpointId(1))
            .unwrap();
        assert_eq!(
            windows.resolve(window, EndpointId(2), (0, 1)),
            Err(WindowError::NotWriter { window })
        );
        windows.close(window);
        let closed = Err(WindowError::NotOpen { window });
        assert_eq!(windows.resolve(window, EndpointId(1), (0, 1)), closed);
        // A second window of the same bytes has another number.
        let again = windows
            .open(Region::sole(8), (0, 8), EndpointId(1))
            .unwrap();
        assert_ne!(again, window);
        assert_eq!(windows.resolve(window, EndpointId(1), (0, 1)), closed);
        let unknown = WindowId(9);
        assert_eq!(
            windows.resolve(unknown, EndpointId(1), (0, 1)),
            Err(WindowError::NotOpen { window: unknown })
        );
    }
}
