//! Work on many items at once, whose results are taken in the order of the items.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Results for each worker that may wait for an earlier one.
const AHEAD: usize = 4;

/// Time after which the taker hears that nothing has come.
const PATIENCE: Duration = Duration::from_millis(200);

/// What the taker of results is told.
pub(super) enum Happened<'t, T, R> {
    /// This came of an item.
    Done(&'t T, R),
    /// Nothing has come for a while.
    Waiting,
}

/// Has `workers` threads work on items that do not depend on each other, and takes the results in the order of the
/// items. While one item takes long, at most [`AHEAD`] results for each worker are held back behind it.
///
/// # Errors
///
/// Returns the first error of `take`, which ends the work.
pub(super) fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    workers: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(Happened<'_, T, R>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (done, results) = mpsc::channel();
    let workers = workers.get().min(items.len());
    // A token for each item that is worked on, or done and not taken.
    let (allow, allowed) = mpsc::channel();
    for _ in 0..workers * AHEAD {
        let _cannot_fail = allow.send(());
    }
    let allowed = Mutex::new(allowed);
    thread::scope(|scope| {
        // Moved in here: workers that wait for a token end when the sender of tokens is gone.
        let allow = allow;
        for _ in 0..workers {
            let (done, next, work, allowed) = (done.clone(), &next, &work, &allowed);
            scope.spawn(move || {
                loop {
                    let token = allowed.lock().map(|tokens| tokens.recv());
                    let Ok(Ok(())) = token else { return };
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    // Nobody takes results any more once one could not be taken.
                    if done.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut taken = 0;
        loop {
            match results.recv_timeout(PATIENCE) {
                Ok((index, result)) => {
                    early.insert(index, result);
                }
                Err(RecvTimeoutError::Timeout) => take(Happened::Waiting)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(result) = early.remove(&taken) {
                take(Happened::Done(&items[taken], result))?;
                taken += 1;
                // Nobody waits for it once every item is worked on.
                let _ = allow.send(());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKERS: [usize; 3] = [1, 3, 1_000];

    fn workers(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("some")
    }

    #[test]
    fn results_are_taken_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let work = |&item: &u64| {
            // Early items take longest.
            std::hint::black_box((0..(200 - item) * 1_000).fold(0, |sum, number| sum ^ number));
            item + 1
        };
        for count in WORKERS {
            let mut taken = Vec::new();
            let all: Result<(), ()> = in_order(&items, workers(count), work, |happened| {
                if let Happened::Done(item, result) = happened {
                    taken.push((*item, result));
                }
                Ok(())
            });
            assert_eq!(all, Ok(()));
            let expected = items.iter().map(|item| (*item, item + 1));
            assert_eq!(taken, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_that_cannot_be_taken_ends_it() {
        let items: Vec<u32> = (0..1_000).collect();
        for count in WORKERS {
            let mut taken = 0;
            let end = in_order(
                &items,
                workers(count),
                |&item| item,
                |happened| {
                    let Happened::Done(_, item) = happened else {
                        return Ok(());
                    };
                    taken += 1;
                    if item == 7 { Err(item) } else { Ok(()) }
                },
            );
            assert_eq!((end, taken), (Err(7), 8));
        }
        assert_eq!(in_order(&[], workers(2), |_: &u32| (), |_| Err(())), Ok(()));
    }
}
