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
        Region { index: 0, length }
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

/// The memory of every host in the simulation, region by region.
#[cfg(feature = "std")]
#[derive(Clone, Debug, Default)]
pub struct HostMemory {
    regions: Vec<Box<[u8]>>,
}

#[cfg(feature = "std")]
impl HostMemory {
    /// Returns memory without a region.
    #[must_use]
    pub fn new() -> HostMemory {
        HostMemory::default()
    }

    /// Pins a region of `length` bytes, all zero.
    pub fn pin(&mut self, length: u32) -> Region {
        let index =
            u32::try_from(self.regions.len()).expect("there are fewer regions than endpoints");
        self.regions
            .push(vec![0; length as usize].into_boxed_slice());
        Region { index, length }
    }

    /// Returns a region's bytes.
    #[must_use]
    pub fn region(&self, region: Region) -> &[u8] {
        &self.regions[region.index as usize]
    }

    /// Returns a span's bytes.
    #[must_use]
    pub fn bytes(&self, span: HostSpan) -> &[u8] {
        &self.regions[span.region as usize][span.range()]
    }

    /// Copies a span onto another of the same region and length, as if through a third place.
    ///
    /// # Panics
    ///
    /// Where region or length differ: copies between regions are what the NIC is for.
    pub fn copy(&mut self, from: HostSpan, to: HostSpan) {
        assert_eq!(
            (from.region, from.length),
            (to.region, to.length),
            "a copy inside one region"
        );
        self.regions[from.region as usize].copy_within(from.range(), to.offset as usize);
    }

    /// Returns a span's bytes, to be written.
    pub fn bytes_mut(&mut self, span: HostSpan) -> &mut [u8] {
        &mut self.regions[span.region as usize][span.range()]
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

    #[cfg(feature = "std")]
    #[test]
    fn regions_do_not_overlap() {
        let mut memory = HostMemory::new();
        let (first, second) = (memory.pin(4), memory.pin(4));
        memory.bytes_mut(first.span(0, 4).unwrap()).fill(1);
        assert_eq!(memory.region(second), [0; 4]);
        assert_eq!(memory.region(first), [1; 4]);
    }
}
