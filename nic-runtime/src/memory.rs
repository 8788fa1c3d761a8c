//! Memory of the simulated hosts, as regions that NICs may access.

use nic_core::memory::{HostSpan, Region};

/// The memory of all hosts: one region for each endpoint.
#[derive(Clone, Debug, Default)]
pub struct HostMemory {
    regions: Vec<Box<[u8]>>,
}

impl HostMemory {
    /// Returns memory without regions.
    #[must_use]
    pub fn new() -> HostMemory {
        HostMemory::default()
    }

    /// Adds a region of `length` zero bytes.
    pub fn pin(&mut self, length: u32) -> Region {
        let index =
            u32::try_from(self.regions.len()).expect("there are fewer regions than endpoints");
        self.regions
            .push(vec![0; length as usize].into_boxed_slice());
        Region::new(index, length)
    }

    /// Returns the bytes of a region.
    #[must_use]
    pub fn region(&self, region: Region) -> &[u8] {
        &self.regions[region.index() as usize]
    }

    /// Returns the bytes of a span of host memory.
    #[must_use]
    pub fn bytes(&self, span: HostSpan) -> &[u8] {
        &self.regions[span.region() as usize][span.range()]
    }

    /// Copies a span of host memory to another span of the same region and length. The spans may overlap.
    ///
    /// # Panics
    ///
    /// The call panics if the regions or lengths of the two spans differ. Only a NIC may copy between regions.
    pub fn copy(&mut self, from: HostSpan, to: HostSpan) {
        assert_eq!(
            (from.region(), from.length()),
            (to.region(), to.length()),
            "a copy inside one region"
        );
        self.regions[from.region() as usize].copy_within(from.range(), to.offset() as usize);
    }

    /// Returns the bytes of a span of host memory for writing.
    pub fn bytes_mut(&mut self, span: HostSpan) -> &mut [u8] {
        &mut self.regions[span.region() as usize][span.range()]
    }
}

#[cfg(test)]
impl HostMemory {
    /// Counts the regions and their bytes.
    pub(crate) fn counted(&self, census: &mut crate::at_rest::Census) {
        let HostMemory { regions } = self;
        census.length("memory.regions", regions.len());
        census.length(
            "memory.bytes",
            regions.iter().map(|region| region.len()).sum(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_do_not_overlap() {
        let mut memory = HostMemory::new();
        let (first, second) = (memory.pin(4), memory.pin(4));
        memory.bytes_mut(first.span(0, 4).unwrap()).fill(1);
        assert_eq!(memory.region(second), [0; 4]);
        assert_eq!(memory.region(first), [1; 4]);
    }
}
