//! Runs a function on many items in parallel, and passes on the results in the order of the items.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// How many results per worker may wait until an earlier item is finished. The limit bounds the memory for results.
const AHEAD: usize = 4;

/// If no result arrives within this time, the receiving function is called with [`Happened::Waiting`].
const PATIENCE: Duration = Duration::from_millis(200);

/// The reason for a call of the function that receives the results.
pub enum Happened<'t, T, R> {
    /// The result of an item.
    Done(&'t T, R),
    /// No result arrived for 200 ms.
    Waiting,
}

/// Runs `work` on every item, in `workers` threads, and passes the results to `take` in the order of the items. While
/// one item takes long, at most four later results per worker are held back.
///
/// # Errors
///
/// Returns the first error of `take`, after which no more work is started.
pub fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    workers: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(Happened<'_, T, R>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (done, results) = mpsc::channel();
    let workers = workers.get().min(items.len());
    // Send one token for each result that may exist before `take` receives it. A worker receives a token before it
    // starts an item.
    let (allow, allowed) = mpsc::channel();
    for _ in 0..workers * AHEAD {
        let _cannot_fail = allow.send(());
    }
    let allowed = Mutex::new(allowed);
    thread::scope(|scope| {
        // Move the tokens' sender into the scope of the threads. When the scope ends, the tokens' channel closes, and
        // workers that wait for a token return.
        let allow = allow;
        for _ in 0..workers {
            let (done, next, work, allowed) = (done.clone(), &next, &work, &allowed);
            scope.spawn(move || {
                loop {
                    let token = allowed.lock().map(|tokens| tokens.recv());
                    let Ok(Ok(())) = token else { return };
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    // If `take` failed, the receiver of results was dropped: stop this worker.
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
                // Ignore the error: after the last item no worker is left to receive a token.
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
            // Early items take the most time, so that results arrive out of order.
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
