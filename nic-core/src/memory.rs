//! Host memory that a NIC may access: pinned regions, addressed by region number and offset.
//!
//! [`Region::span`] is the only function that checks an address. A [`HostSpan`] proves that the check of its address
//! succeeded.

use core::ops::Range;

/// A pinned region of host memory: its number and its length.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Region {
    index: u32,
    length: u32,
}

/// A range of bytes within a pinned region. A `HostSpan` proves that the range lies inside the region.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
// The alignment avoids store-forwarding stalls: the compiler copies the struct as two 8-byte words wherever it is
// stored.
#[repr(align(8))]
pub struct HostSpan {
    region: u32,
    offset: u32,
    length: u32,
}

/// The error for an address outside its region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes {offset} and {length} on lie outside of a region of {region_length} bytes")]
pub struct OutOfRegion {
    /// The requested offset.
    pub offset: i64,
    /// The requested length.
    pub length: i64,
    /// The region's length in bytes.
    pub region_length: u32,
}

impl Region {
    /// Returns a region of `length` bytes for a host with only one region.
    #[must_use]
    pub const fn sole(length: u32) -> Region {
        Region::new(0, length)
    }

    /// Returns a region with this number and length, where the owner of the memory assigns the numbers.
    #[must_use]
    pub const fn new(index: u32, length: u32) -> Region {
        Region { index, length }
    }

    /// Returns the region's number.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Returns the region's length in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the span of `length` bytes that starts at `offset` of the region. An empty range may start at the end of
    /// the region.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRegion`] if the range does not lie inside the region. `offset` and `length` may be any numbers.
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
    /// Returns `length` bytes of the span from `offset` on; `None` if they do not lie inside the span.
    #[must_use]
    pub fn part(self, offset: u32, length: u32) -> Option<HostSpan> {
        let end = offset.checked_add(length)?;
        let is_inside = end <= self.length;
        is_inside.then_some(HostSpan {
            region: self.region,
            // The sum is inside the span, and the span's end is a 32-bit number.
            offset: self.offset + offset,
            length,
        })
    }

    /// Returns the number of the span's region.
    #[must_use]
    pub fn region(self) -> u32 {
        self.region
    }

    /// Returns the offset of the span within its region.
    #[must_use]
    pub fn offset(self) -> u32 {
        self.offset
    }

    /// Returns the length of the span in bytes.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the span as a range of indices into the region's bytes.
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
    fn a_part_stays_inside_its_span() {
        let span = Region::new(3, 100).span(40, 20).unwrap();
        let part = span.part(15, 5).unwrap();
        assert_eq!((part.region(), part.range()), (3, 55..60));
        assert!(span.part(20, 0).is_some());
        for (offset, length) in [(16, 5), (21, 0), (u32::MAX, 1), (1, u32::MAX)] {
            assert_eq!(span.part(offset, length), None);
        }
    }

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
