//! Line table of a method, sorted for fast lookup of many instructions.

use jive_core::{Code, Pc};

/// The line numbers of a method, sorted.
///
/// [`Code::line`] scans the whole table, which is best for a single lookup. A method can have 65,535 line number
/// entries and as many instructions, so that many lookups need a sorted table.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// A row for each pc that has entries, in ascending order: the pc, and the lines of its first and last entry.
    rows: Vec<(u16, u16, u16)>,
}

impl LineTable {
    /// Reads the line numbers of a method.
    #[must_use]
    pub fn of(code: &Code<'_>) -> LineTable {
        LineTable::from_entries(code.line_numbers())
    }

    /// Builds the line table from pairs of pc and line, and consumes each pair once.
    fn from_entries(entries: impl Iterator<Item = (Pc, u16)>) -> LineTable {
        let mut entries = entries.collect::<Vec<_>>();
        // The sort is stable, so entries with equal pcs keep their order.
        entries.sort_by_key(|(pc, _)| *pc);
        let alike = entries.chunk_by(|(pc, _), (other, _)| pc == other);
        let row = |alike: &[(Pc, u16)]| {
            let ((pc, first), (_, last)) = (alike.first()?, alike.last()?);
            Some((pc.0, *first, *last))
        };
        LineTable {
            rows: alike.filter_map(row).collect(),
        }
    }

    /// Returns the number of pcs that have entries in the table.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the line of the instruction at a pc. Same result as [`Code::line`].
    #[must_use]
    pub fn line(&self, pc: Pc) -> Option<u16> {
        let behind = self.rows.partition_point(|(start, ..)| *start <= pc.0);
        let (start, first, last) = *self.rows.get(behind.checked_sub(1)?)?;
        Some(if start == pc.0 { first } else { last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_the_greatest_size_is_read_once() {
        let mut read = 0;
        let entries = (0..u16::MAX).rev().map(|pc| {
            read += 1;
            (Pc(pc), pc / 2)
        });
        let table = LineTable::from_entries(entries);
        let lines = (0..u16::MAX).map(|pc| table.line(Pc(pc)));
        assert!(lines.eq((0..u16::MAX).map(|pc| Some(pc / 2))));
        assert_eq!(read, usize::from(u16::MAX));
    }

    #[test]
    fn the_nearest_entry_wins() {
        // At pc 4, where two entries start, the first of them gives the line. After pc 4, the last entry of pc 4 gives
        // the line.
        let entries = [(8, 80), (4, 40), (4, 41), (4, 42), (2, 20)];
        let table = LineTable::from_entries(entries.map(|(pc, line)| (Pc(pc), line)).into_iter());
        let lines = [1, 2, 3, 4, 5, 7, 8, 9].map(|pc| table.line(Pc(pc)));
        let expected = [
            None,
            Some(20),
            Some(20),
            Some(40),
            Some(42),
            Some(42),
            Some(80),
            Some(80),
        ];
        assert_eq!(lines, expected);
    }
}
