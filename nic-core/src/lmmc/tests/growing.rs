//! A storage that grows, as the simulator has one: tables of the tests have more ports than those without an allocator.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use crate::storage::{List, Queue, Storage};

#[derive(Copy, Clone, Debug)]
pub(crate) enum Growing {}

impl Storage for Growing {
    type Queue<T: Clone + Debug, const N: usize> = GrowingQueue<T>;
    type List<T: Clone + Debug, const N: usize> = GrowingList<T>;

    fn capacity<const N: usize>(wanted: u32) -> u32 {
        wanted
    }
}

#[derive(Clone, Debug)]
pub(crate) struct GrowingQueue<T>(VecDeque<T>);

impl<T> Default for GrowingQueue<T> {
    fn default() -> GrowingQueue<T> {
        GrowingQueue(VecDeque::new())
    }
}

impl<T: Clone + Debug> Queue<T> for GrowingQueue<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn back_mut(&mut self) -> Option<&mut T> {
        self.0.back_mut()
    }

    fn front(&self) -> Option<&T> {
        self.0.front()
    }

    fn get(&self, index: usize) -> Option<&T> {
        self.0.get(index)
    }

    fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0.get_mut(index)
    }

    fn pop_front(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    fn push_back(&mut self, element: T) -> bool {
        self.0.push_back(element);
        true
    }
}

#[derive(Clone, Debug)]
pub(crate) struct GrowingList<T>(Vec<T>);

impl<T> Default for GrowingList<T> {
    fn default() -> GrowingList<T> {
        GrowingList(Vec::new())
    }
}

impl<T> Deref for GrowingList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for GrowingList<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone + Debug> List<T> for GrowingList<T> {
    fn push(&mut self, element: T) -> bool {
        self.0.push(element);
        true
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }
}
