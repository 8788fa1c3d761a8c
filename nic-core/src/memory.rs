//! Host memory as NICs reach it: pinned regions, addressed by region and offset.
//!
//! [`Region::span`] is the one place where an address is checked; a [`HostSpan`] is its proof.

use core::ops::Range;

/// A pinned region: its number and length.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Region {
    index: u32,
    length: u32,
}

/// Bytes of one region. Holding one proves that they lie inside it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// Its fields are copied by two words wherever it lies: what was written by fields need not be waited for.
#[repr(align(8))]
pub struct HostSpan {
    region: u32,
    offset: u32,
    length: u32,
}

/// An address names bytes outside of its region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes {offset} and {length} on lie outside of a region of {region_length} bytes")]
pub struct OutOfRegion {
    /// The offset that was asked for.
    pub offset: i64,
    /// The length that was asked for.
    pub length: i64,
    /// The region's length in bytes.
    pub region_length: u32,
}

impl Region {
    /// Returns the region of a host that has no other, of `length` bytes.
    #[must_use]
    pub const fn sole(length: u32) -> Region {
        Region::new(0, length)
    }

    /// Returns the region of this number, of `length` bytes. The owner of the memory numbers it.
    #[must_use]
    pub const fn new(index: u32, length: u32) -> Region {
        Region { index, length }
    }

    /// Returns its number.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns its length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns `length` bytes from `offset` on; none at all may lie at the very end.
    ///
    /// # Errors
    ///
    /// [`OutOfRegion`] where one of them lies outside; any two values may be asked for.
    pub fn span(self, offset: i64, length: i64) -> Result<HostSpan, OutOfRegion> {
        let outside = OutOfRegion {
            offset,
            length,
            region_length: self.length,
        };
        let end = offset.checked_add(length).ok_or(outside)?;
        match (u32::try_from(offset), u32::try_from(length)) {
            (Ok(offset), Ok(length)) if end <= i64::from(self.length) => Ok(HostSpan {
                region: self.index,
                offset,
                length,
            }),
            _ => Err(outside),
        }
    }
}

impl HostSpan {
    /// Returns the number of its region.
    #[must_use]
    pub fn region(self) -> u32 {
        self.region
    }

    /// Returns where it begins in its region.
    #[must_use]
    pub fn offset(self) -> u32 {
        self.offset
    }

    /// Returns its length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns where it lies in its region's bytes.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        let start = self.offset as usize;
        start..start + self.length as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_checked_without_overflow() {
        let region = Region::sole(100);
        let bytes = [0u8; 100];
        for (offset, length) in [(0, 0), (0, 100), (100, 0), (99, 1)] {
            let span = region.span(offset, length).unwrap();
            assert_eq!(i64::from(span.offset()), offset);
            assert_eq!(bytes[span.range()].len(), usize::try_from(length).unwrap());
        }
        for (offset, length) in [
            (101, 0),
            (100, 1),
            (0, 101),
            (-1, 1),
            (1, -1),
            (-1, 101),
            (i64::MAX, 1),
            (i64::MIN, i64::MIN),
        ] {
            assert_eq!(
                region.span(offset, length),
                Err(OutOfRegion {
                    offset,
                    length,
                    region_length: 100
                })
            );
        }
    }
}
