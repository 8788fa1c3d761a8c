//! Counts everything that a simulation holds, so that tests can compare a run with a longer one: what was opened, set or
//! posted and is over must have left nothing behind.
//!
//! The census takes each field of [`Simulation`] apart, so a field that is added later has to be counted as well. Most
//! fields are counted by what `Debug` shows of them: the length of each list, and the sum of each number, by the path of
//! the fields that lead to it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::engine::Simulation;

/// Lengths of lists and sums of numbers, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Census {
    pub(crate) lengths: BTreeMap<String, usize>,
    pub(crate) numbers: BTreeMap<String, i128>,
}

impl Census {
    /// Takes the census of a simulation.
    pub(crate) fn of(simulation: &Simulation<'_>) -> Census {
        let Simulation {
            scenario: _,
            now: _,
            schedule,
            limits: _,
            setup: _,
            cells,
            backlogs,
            host_time: _,
            interrupts: _,
            // Instructions are used up.
            budget: _,
            sends,
            nics,
            processors,
            more_sources,
            shared,
            engines,
            fabric,
            packets,
            transfers,
            landings,
            memory,
            endpoints,
            specs: _,
            infos,
            live,
            send_slots_left,
            links,
            waits,
            pending_calls,
            chains,
            arena,
            suspensions,
            applets,
            collectors,
            swaps,
            last_arrays,
            levels,
            names,
            users,
            turns,
            own,
            // What the sink keeps is its own.
            report: _,
        } = simulation;
        let mut census = Census::default();
        let counted = &mut census;
        assert!(schedule.is_empty(), "the census is taken at rest");
        sends.counted(counted);
        counted.count("more_sources", more_sources);
        memory.counted(counted);
        counted.count("levels", &levels.len());
        counted.count("names", &names.len());
        counted.length("arena", arena.allocated_bytes());
        for (name, tree) in [
            ("cells", cells as &dyn Debug),
            ("backlogs", backlogs),
            ("nics", nics),
            ("shared", shared),
            ("engines", engines),
            ("fabric", fabric),
            ("packets", packets),
            ("transfers", transfers),
            ("landings", landings),
            ("endpoints", endpoints),
            ("infos", infos),
            ("live", live),
            ("send_slots_left", send_slots_left),
            ("links", links),
            ("waits", waits),
            ("pending_calls", pending_calls),
            ("chains", chains),
            ("last_arrays", last_arrays),
            ("users", users),
            ("turns", turns),
        ] {
            counted.count(name, tree);
        }
        counted.length("collectors", collectors.len());
        for applet in applets {
            let instance = &applet.instance;
            counted.length("applets.fields", instance.fields().len());
            counted.length("applets.heap", instance.heap().contents().len());
            counted.length("applets.rx_buf", applet.rx_buf().len());
        }
        for processor in processors {
            processor.counted(counted);
        }
        suspensions.counted(counted);
        swaps.counted(counted);
        own.counted(counted);
        census
    }

    /// Adds the length of a list.
    pub(crate) fn length(&mut self, path: &str, length: usize) {
        *self.lengths.entry(path.to_owned()).or_default() += length;
    }

    /// Counts a value by what `Debug` shows of it.
    pub(crate) fn count(&mut self, path: &str, value: &dyn Debug) {
        let text = format!("{value:?}");
        let mut shown = Shown {
            text: text.as_bytes(),
            at: 0,
        };
        self.value(&mut shown, path);
        assert_eq!(shown.at, shown.text.len(), "{path}: {text}");
    }

    /// Counts the next value.
    fn value(&mut self, shown: &mut Shown<'_>, path: &str) {
        let word = shown.word();
        if let Ok(number) = word.parse::<i128>() {
            *self.numbers.entry(path.to_owned()).or_default() += number;
        } else if word == "true" {
            *self.numbers.entry(path.to_owned()).or_default() += 1;
        }
        match shown.next() {
            Some(b'[') => {
                let length = self.elements(shown, b']', &format!("{path}[]"));
                self.length(path, length);
            }
            Some(b'(') => {
                self.elements(shown, b')', path);
            }
            Some(b'{') if word.is_empty() => {
                let length = self.elements(shown, b'}', &format!("{path}{{}}"));
                self.length(path, length);
            }
            Some(b'{') => self.fields(shown, path),
            Some(_) | None => {}
        }
    }

    /// Counts the elements of a list, a tuple, a set or a map up to its end. Returns how many there are.
    fn elements(&mut self, shown: &mut Shown<'_>, end: u8, path: &str) -> usize {
        shown.at += 1;
        let mut count = 0;
        while shown.next() != Some(end) {
            self.value(shown, path);
            if shown.take(": ") {
                self.value(shown, path);
            }
            shown.take(", ");
            count += 1;
        }
        shown.at += 1;
        count
    }

    /// Counts the fields of a struct up to its end.
    fn fields(&mut self, shown: &mut Shown<'_>, path: &str) {
        shown.at += 2;
        while shown.next() != Some(b'}') {
            let name = shown.word();
            assert!(shown.take(": "), "{path}: a field after {name}");
            self.value(shown, &format!("{path}.{name}"));
            shown.take(", ");
            shown.take(" ");
        }
        shown.at += 1;
    }
}

/// The text that `Debug` shows of a value.
struct Shown<'t> {
    text: &'t [u8],
    at: usize,
}

impl Shown<'_> {
    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Passes over a text, if it is next.
    fn take(&mut self, text: &str) -> bool {
        let is_next = self.text[self.at..].starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes the next word: a name, a number, a text or nothing, with the space before an opening brace.
    fn word(&mut self) -> String {
        let start = self.at;
        if let Some(quote @ (b'"' | b'\'')) = self.next() {
            self.at += 1;
            while self.next() != Some(quote) {
                self.at += if self.next() == Some(b'\\') { 2 } else { 1 };
            }
            self.at += 1;
            return String::from("text");
        }
        while let Some(byte) = self.next()
            && !b"{}()[],:".contains(&byte)
        {
            self.at += 1;
        }
        let word = String::from_utf8_lossy(&self.text[start..self.at]);
        word.trim_end().to_owned()
    }
}

mod ports;
mod rest;
mod stuck;

mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "the census reads the fields")]
    enum Thing {
        Unit,
        Pair(u32, Option<i64>),
        Named {
            list: Vec<u8>,
            map: BTreeMap<u8, Vec<u8>>,
        },
    }

    #[test]
    fn lists_and_numbers_are_counted_by_their_paths() {
        let mut census = Census::default();
        let named = |list: Vec<u8>| Thing::Named {
            list,
            map: BTreeMap::from([(7, vec![1, 1]), (9, vec![])]),
        };
        let things = [
            Thing::Unit,
            Thing::Pair(3, Some(-5)),
            named(vec![1, 2, 3]),
            named(vec![]),
        ];
        census.count("of", &(things, "a text, {with} [signs] \"", 'c', true));
        let lengths = census.lengths.into_iter().collect::<Vec<_>>();
        let lengths: Vec<_> = lengths.iter().map(|(path, n)| (&path[..], *n)).collect();
        assert_eq!(
            lengths,
            [
                ("of", 4),
                ("of[].list", 3),
                ("of[].map", 4),
                ("of[].map{}", 4)
            ]
        );
        let numbers = census.numbers.into_iter().collect::<Vec<_>>();
        let numbers: Vec<_> = numbers.iter().map(|(path, n)| (&path[..], *n)).collect();
        assert_eq!(
            numbers,
            [
                ("of", 1),
                ("of[]", -2),
                ("of[].list[]", 6),
                ("of[].map{}", 32),
                ("of[].map{}[]", 4)
            ]
        );
    }
}
