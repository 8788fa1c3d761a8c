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
#[derive(Clone, Debug)]
pub struct Windows<S: Storage>(S::List<Window, WINDOWS_MAX>);

#[derive(Copy, Clone, Debug)]
struct Window {
    region: Region,
    start: u32,
    length: u32,
    writer: EndpointId,
    is_open: bool,
}

impl<S: Storage> Default for Windows<S> {
    fn default() -> Windows<S> {
        Windows(S::List::default())
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
        let number = u32::try_from(self.0.len()).map_err(|_| WindowError::Full)?;
        let window = Window {
            region,
            start,
            length,
            writer,
            is_open: true,
        };
        match self.0.push(window) {
            true => Ok(WindowId(number)),
            false => Err(WindowError::Full),
        }
    }

    /// Closes a window, so that later writes to it are refused.
    pub fn close(&mut self, window: WindowId) {
        if let Some(window) = self.0.get_mut(window.0 as usize) {
            window.is_open = false;
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
        let window = self.0.get(number.0 as usize);
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
