//! Registered memory: ranges of regions that descriptors may name, each with its owner's protection tag (S2-05, S5-02).

use crate::memory::{HostSpan, OutOfRegion, Region};
use crate::storage::{List, Storage};

/// Maximum number of regions in a [`Registry`] without an allocator, which suffices for the endpoints of a small NIC.
/// Chosen, not measured.
const REGIONS_MAX: usize = 16;

/// The handle of a registered region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(pub u32);

/// The registered regions of a NIC. The handle of a region is never reused, so the handle of a removed region names
/// nothing.
#[derive(Clone, Debug)]
pub struct Registry<S: Storage> {
    // Sorted by handle.
    entries: S::List<Entry, REGIONS_MAX>,
    next: u32,
}

/// Maximum number of segments of a descriptor (VIA 1.0).
pub const SEGMENTS_MAX: u32 = 252;

/// A piece of registered memory that a descriptor names.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The handle of the memory.
    pub handle: Handle,
    /// Offset in the registered range.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}

#[derive(Copy, Clone, Debug)]
struct Entry {
    handle: Handle,
    /// The registered range. Descriptors name its bytes by their offset in it.
    range: HostSpan,
    tag: u32,
    // Number of descriptors and transfers under way that name the region.
    uses: u32,
}

/// Why an operation on registered memory is refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No region of the NIC is registered under the handle.
    #[error("expected the handle of a registered region, found {}", handle.0)]
    NotRegistered {
        /// The handle.
        handle: Handle,
    },
    /// The region belongs to another owner.
    #[error("expected a region with protection tag {expected}, found {found}")]
    WrongTag {
        /// The protection tag of the VI.
        expected: u32,
        /// The protection tag of the region.
        found: u32,
    },
    /// The address that the descriptor names lies outside the region.
    #[error(transparent)]
    Outside(#[from] OutOfRegion),
    /// Descriptors under way name the region.
    #[error("expected a region without descriptors under way, found {uses}")]
    InUse {
        /// Number of descriptors.
        uses: u32,
    },
    /// The table of registered regions is full.
    #[error("expected room for another region, found {REGIONS_MAX}")]
    Full,
}

impl<S: Storage> Default for Registry<S> {
    fn default() -> Registry<S> {
        Registry {
            entries: S::List::default(),
            next: 0,
        }
    }
}

impl<S: Storage> Registry<S> {
    /// Registers a range of a region, given by offset and length, for VIs with this protection tag.
    ///
    /// # Errors
    ///
    /// Returns [`RegistryError::Outside`] if the range is not inside the region, and [`RegistryError::Full`] if a table
    /// without an allocator is full.
    pub fn register(
        &mut self,
        region: Region,
        (offset, length): (u32, u32),
        tag: u32,
    ) -> Result<Handle, RegistryError> {
        let range = region.span(offset.into(), length.into())?;
        let handle = Handle(self.next);
        let next = self.next.checked_add(1).ok_or(RegistryError::Full)?;
        let entry = Entry {
            handle,
            range,
            tag,
            uses: 0,
        };
        match self.entries.push(entry) {
            true => {
                self.next = next;
                Ok(handle)
            }
            false => Err(RegistryError::Full),
        }
    }

    /// Returns the span of bytes that a VI with this protection tag names.
    ///
    /// # Errors
    ///
    /// Returns the reason for which the VI may not use the bytes.
    pub fn span(
        &self,
        handle: Handle,
        tag: u32,
        (offset, length): (i64, i64),
    ) -> Result<HostSpan, RegistryError> {
        let entry = self.entry(handle)?;
        if entry.tag != tag {
            return Err(RegistryError::WrongTag {
                expected: tag,
                found: entry.tag,
            });
        }
        let range = entry.range;
        // For descriptors, the registered range is a region of its own.
        Region::sole(range.length()).span(offset, length)?;
        let start = i64::from(range.offset()) + offset;
        Ok(Region::new(range.region(), u32::MAX).span(start, length)?)
    }

    /// Returns the registered range of a handle, if memory is registered under it.
    #[must_use]
    pub fn range(&self, handle: Handle) -> Option<HostSpan> {
        self.entry(handle).ok().map(|entry| entry.range)
    }

    /// Records that a descriptor, which is now under way, names the region.
    ///
    /// # Errors
    ///
    /// Returns [`RegistryError::NotRegistered`] if no region has the handle.
    pub fn hold(&mut self, handle: Handle) -> Result<(), RegistryError> {
        self.entry_mut(handle)?.uses += 1;
        Ok(())
    }

    /// Records that a descriptor, which named the region, has completed.
    ///
    /// # Errors
    ///
    /// Returns [`RegistryError::NotRegistered`] if no region has the handle.
    pub fn release(&mut self, handle: Handle) -> Result<(), RegistryError> {
        let entry = self.entry_mut(handle)?;
        debug_assert!(entry.uses > 0, "a descriptor completes once");
        entry.uses = entry.uses.saturating_sub(1);
        Ok(())
    }

    /// Removes a region, which no descriptor under way may name, from the registered regions.
    ///
    /// # Errors
    ///
    /// Returns [`RegistryError::InUse`] if a descriptor names the region, [`RegistryError::WrongTag`] if it belongs to
    /// another owner, and [`RegistryError::NotRegistered`] if no region has the handle.
    pub fn deregister(&mut self, handle: Handle, tag: u32) -> Result<HostSpan, RegistryError> {
        let entry = self.entry_mut(handle)?;
        if entry.tag != tag {
            return Err(RegistryError::WrongTag {
                expected: tag,
                found: entry.tag,
            });
        }
        if entry.uses > 0 {
            return Err(RegistryError::InUse { uses: entry.uses });
        }
        let range = entry.range;
        let place = self.place(handle)?;
        self.entries[place..].rotate_left(1);
        self.entries.pop();
        Ok(range)
    }

    /// Returns the place of a region in the table.
    fn place(&self, handle: Handle) -> Result<usize, RegistryError> {
        // Until a region has been removed, the handle is the place.
        let guess = handle.0 as usize;
        if self
            .entries
            .get(guess)
            .is_some_and(|entry| entry.handle == handle)
        {
            return Ok(guess);
        }
        let found = self
            .entries
            .binary_search_by_key(&handle, |entry| entry.handle);
        found.map_err(|_| RegistryError::NotRegistered { handle })
    }

    fn entry(&self, handle: Handle) -> Result<&Entry, RegistryError> {
        Ok(&self.entries[self.place(handle)?])
    }

    fn entry_mut(&mut self, handle: Handle) -> Result<&mut Entry, RegistryError> {
        let place = self.place(handle)?;
        Ok(&mut self.entries[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Fixed;

    fn whole(region: Region) -> HostSpan {
        region.span(0, region.length().into()).unwrap()
    }

    #[test]
    fn only_the_owner_names_registered_memory() {
        let mut registry = Registry::<Fixed>::default();
        let handle = registry.register(Region::new(3, 100), (0, 100), 7).unwrap();
        let span = registry.span(handle, 7, (90, 10)).unwrap();
        assert_eq!((span.region(), span.range()), (3, 90..100));
        assert_eq!(
            registry.span(handle, 8, (0, 1)).unwrap_err().to_string(),
            "expected a region with protection tag 8, found 7"
        );
        let outside = registry.span(handle, 7, (90, 11)).unwrap_err();
        assert!(matches!(outside, RegistryError::Outside(_)), "{outside}");
        let foreign = registry.deregister(handle, 8);
        assert!(matches!(foreign, Err(RegistryError::WrongTag { .. })));
        assert_eq!(
            registry.deregister(handle, 7),
            Ok(whole(Region::new(3, 100)))
        );
        assert_eq!(
            registry.span(handle, 7, (0, 1)).unwrap_err().to_string(),
            "expected the handle of a registered region, found 0"
        );
        // A region that the user registers again has another handle.
        assert_eq!(
            registry.register(Region::new(3, 100), (0, 100), 7),
            Ok(Handle(1))
        );
    }

    #[test]
    fn a_registered_range_bounds_its_descriptors() {
        let mut registry = Registry::<Fixed>::default();
        let region = Region::new(2, 100);
        let outside = registry.register(region, (90, 11), 0);
        assert!(matches!(outside, Err(RegistryError::Outside(_))));
        let handle = registry.register(region, (40, 20), 0).unwrap();
        let span = registry.span(handle, 0, (15, 5)).unwrap();
        assert_eq!((span.region(), span.range()), (2, 55..60));
        assert!(registry.span(handle, 0, (20, 0)).is_ok());
        let beyond = [
            (15, 6),
            (21, 0),
            (-1, 1),
            (0, -1),
            (i64::MAX, 1),
            (1 << 32, 1),
        ];
        for place in beyond {
            let refused = registry.span(handle, 0, place);
            assert!(
                matches!(refused, Err(RegistryError::Outside(_))),
                "{place:?}"
            );
        }
        let range = region.span(40, 20).unwrap();
        assert_eq!(registry.deregister(handle, 0), Ok(range));
    }

    #[test]
    fn a_region_with_descriptors_under_way_stays_registered() {
        let mut registry = Registry::<Fixed>::default();
        let handle = registry.register(Region::sole(10), (0, 10), 0).unwrap();
        registry.hold(handle).unwrap();
        registry.hold(handle).unwrap();
        registry.release(handle).unwrap();
        let in_use = RegistryError::InUse { uses: 1 };
        assert_eq!(registry.deregister(handle, 0), Err(in_use));
        registry.release(handle).unwrap();
        assert_eq!(registry.deregister(handle, 0), Ok(whole(Region::sole(10))));
        let gone = RegistryError::NotRegistered { handle };
        assert_eq!(registry.hold(handle), Err(gone));
    }

    #[test]
    fn removed_regions_free_memory_but_keep_handles() {
        let mut registry = Registry::<Fixed>::default();
        let kept = registry.register(Region::new(1, 10), (0, 10), 0).unwrap();
        let mut before = kept;
        for number in 1..100 {
            let handle = registry.register(Region::new(2, 20), (0, 20), 0).unwrap();
            assert_eq!(handle, Handle(number));
            if before != kept {
                let refused = RegistryError::NotRegistered { handle: before };
                assert_eq!(registry.hold(before), Err(refused));
            }
            assert_eq!(registry.span(kept, 0, (0, 1)).unwrap().region(), 1);
            assert_eq!(registry.span(handle, 0, (0, 1)).unwrap().region(), 2);
            assert_eq!(
                registry.deregister(handle, 0),
                Ok(whole(Region::new(2, 20)))
            );
            assert_eq!(registry.entries.len(), 1);
            before = handle;
        }
    }

    #[test]
    fn a_full_table_refuses_another_region() {
        let mut registry = Registry::<Fixed>::default();
        for _ in 0..REGIONS_MAX {
            registry.register(Region::sole(1), (0, 1), 0).unwrap();
        }
        let refused = registry.register(Region::sole(1), (0, 1), 0);
        assert_eq!(refused, Err(RegistryError::Full));
    }
}
