//! Numbers of things, and tables indexed by them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use nic_core::id::{DirectionId, EndpointId, NicId};
pub use nic_core::remote::{WatchId, WindowId};

/// A number that names an element of a [`Table`]. Numbers begin at 0 and have no gaps.
pub trait Id: Copy {
    /// Returns the number with this value.
    ///
    /// # Panics
    ///
    /// Panics if the value does not fit in 32 bits, which no table reaches.
    fn of(number: usize) -> Self;

    /// Returns the number as an index.
    fn index(self) -> usize;
}

/// Implements [`Id`] for structs that consist of a `u32`.
macro_rules! ids {
    ($($id:ident),*) => {
        $(impl $crate::ids::Id for $id {
            fn of(number: usize) -> $id {
                $id(u32::try_from(number).expect("a table has fewer than 2³² elements"))
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

pub(crate) use ids;

ids!(
    EndpointId,
    NicId,
    DirectionId,
    WindowId,
    ProcessorId,
    AppletId
);

/// Position of a processor among the processors of all NICs.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProcessorId(pub u32);

/// Position of an applet among all applets.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AppletId(pub u32);

/// A list whose elements are named by numbers of one kind, so that a number of another kind is no index.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<K, T> {
    elements: Vec<T>,
    by: PhantomData<fn(K)>,
}

impl<K: Id, T> Table<K, T> {
    /// Returns an empty table.
    #[must_use]
    pub fn new() -> Table<K, T> {
        Vec::new().into()
    }

    /// Returns an empty table with room for so many elements.
    #[must_use]
    pub fn with_capacity(count: usize) -> Table<K, T> {
        Vec::with_capacity(count).into()
    }

    /// Returns a table of equal elements.
    #[must_use]
    pub fn filled(count: usize, element: T) -> Table<K, T>
    where
        T: Clone,
    {
        vec![element; count].into()
    }

    /// Returns the element with this number, if there is one.
    #[must_use]
    pub fn get(&self, id: K) -> Option<&T> {
        self.elements.get(id.index())
    }

    /// Returns the element with this number, if there is one.
    #[must_use]
    pub fn get_mut(&mut self, id: K) -> Option<&mut T> {
        self.elements.get_mut(id.index())
    }

    /// Returns all numbers, in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = K> + use<K, T> {
        (0..self.elements.len()).map(K::of)
    }

    /// Returns all elements with their numbers, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (K, &T)> {
        self.elements
            .iter()
            .enumerate()
            .map(|(number, element)| (K::of(number), element))
    }

    /// Appends an element, and returns its number.
    pub fn push(&mut self, element: T) -> K {
        self.elements.push(element);
        K::of(self.elements.len() - 1)
    }

    /// Removes the last element.
    pub fn pop(&mut self) -> Option<T> {
        self.elements.pop()
    }
}

impl<K, T> From<Vec<T>> for Table<K, T> {
    fn from(elements: Vec<T>) -> Table<K, T> {
        Table {
            elements,
            by: PhantomData,
        }
    }
}

impl<K, T> FromIterator<T> for Table<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Table<K, T> {
        elements.into_iter().collect::<Vec<T>>().into()
    }
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Table<K, T> {
        Vec::new().into()
    }
}

impl<K, T: fmt::Debug> fmt::Debug for Table<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

impl<K: Id, T> Index<K> for Table<K, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: K) -> &T {
        &self.elements[id.index()]
    }
}

impl<K: Id, T> IndexMut<K> for Table<K, T> {
    #[inline]
    fn index_mut(&mut self, id: K) -> &mut T {
        &mut self.elements[id.index()]
    }
}

/// A plain index counts the elements, as in a slice.
impl<K, T> Index<usize> for Table<K, T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        &self.elements[index]
    }
}

impl<K, T> IndexMut<usize> for Table<K, T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.elements[index]
    }
}

impl<K, T> Deref for Table<K, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<K, T> DerefMut for Table<K, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

impl<'t, K, T> IntoIterator for &'t Table<K, T> {
    type Item = &'t T;
    type IntoIter = std::slice::Iter<'t, T>;

    fn into_iter(self) -> std::slice::Iter<'t, T> {
        self.elements.iter()
    }
}

impl<'t, K, T> IntoIterator for &'t mut Table<K, T> {
    type Item = &'t mut T;
    type IntoIter = std::slice::IterMut<'t, T>;

    fn into_iter(self) -> std::slice::IterMut<'t, T> {
        self.elements.iter_mut()
    }
}

impl<K, T> IntoIterator for Table<K, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> std::vec::IntoIter<T> {
        self.elements.into_iter()
    }
}

/// Returns a length or an offset in bytes as an index.
#[inline]
pub(crate) fn at(number: u32) -> usize {
    number as usize
}
