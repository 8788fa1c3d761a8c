//! Removes the parts of a class file that JIVE does not read: attributes other than `Code` and `ConstantValue`, and
//! unreachable constants.

use jive_core::{Operand, instructions};

/// Tags of constants (JVMS table 4.4-A).
const UTF8: u8 = 1;
const INTEGER: u8 = 3;

/// Returns the class file without the parts that JIVE does not read; `None` if it is malformed.
///
/// Constants keep their indices, and an unreachable constant becomes the integer 0. Access flags are unchanged.
#[must_use]
pub(super) fn normalised(bytes: &[u8]) -> Option<Vec<u8>> {
    let pool = Pool::read(bytes)?;
    let mut writer = Writer {
        bytes,
        pool: &pool,
        at: pool.end,
        out: Vec::new(),
        reached: vec![false; pool.constants.len()],
    };
    writer.class()?;
    let mut all = bytes.get(..10)?.to_vec();
    pool.write(bytes, &writer.reached, &mut all)?;
    all.extend(writer.out);
    Some(all)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// The positions of the constants.
struct Pool {
    /// Start and end of each constant, by index. Index 0 and the index after a wide constant have no constant.
    constants: Vec<Option<(usize, usize)>>,
    end: usize,
}

impl Pool {
    fn read(bytes: &[u8]) -> Option<Pool> {
        let count = usize::from(half(bytes, 8)?);
        let mut constants = vec![None];
        let mut at = 10;
        while constants.len() < count {
            let tag = *bytes.get(at)?;
            // JVMS §4.4 gives the length of each kind of constant, which includes the tag.
            let length = match tag {
                UTF8 => 3 + usize::from(half(bytes, at + 1)?),
                INTEGER | 4 | 9..=12 | 17 | 18 => 5,
                5 | 6 => 9,
                7 | 8 | 16 | 19 | 20 => 3,
                15 => 4,
                _ => return None,
            };
            constants.push(Some((at, at + length)));
            if matches!(tag, 5 | 6) {
                constants.push(None);
            }
            at += length;
        }
        Some(Pool { constants, end: at })
    }

    fn of(&self, index: u16) -> Option<(usize, usize)> {
        *self.constants.get(usize::from(index))?
    }

    fn is_text(&self, bytes: &[u8], index: u16, text: &str) -> Option<bool> {
        let (start, end) = self.of(index)?;
        Some(bytes[start] == UTF8 && bytes.get(start + 3..end)? == text.as_bytes())
    }

    fn write(&self, bytes: &[u8], reached: &[bool], out: &mut Vec<u8>) -> Option<()> {
        const ZERO: [u8; 5] = [INTEGER, 0, 0, 0, 0];
        let mut keeps = true;
        for (constant, reached) in self.constants.iter().zip(reached).skip(1) {
            match constant {
                Some((start, end)) => {
                    keeps = *reached;
                    out.extend(if keeps {
                        bytes.get(*start..*end)?
                    } else {
                        &ZERO
                    });
                }
                // The second index of a wide constant needs its own entry only if the wide constant is replaced.
                None if !keeps => out.extend(ZERO),
                None => {}
            }
        }
        Some(())
    }
}

/// Copies everything after the constant pool, and records the reachable constants.
struct Writer<'b> {
    bytes: &'b [u8],
    pool: &'b Pool,
    at: usize,
    out: Vec<u8>,
    reached: Vec<bool>,
}

impl<'b> Writer<'b> {
    fn class(&mut self) -> Option<()> {
        self.copy_half()?;
        self.copy_index()?;
        self.copy_index()?;
        for _ in 0..self.copy_half()? {
            self.copy_index()?;
        }
        for kept in ["ConstantValue", "Code"] {
            for _ in 0..self.copy_half()? {
                self.copy_half()?;
                self.copy_index()?;
                self.copy_index()?;
                self.attributes(kept)?;
            }
        }
        self.out.extend([0, 0]);
        Some(())
    }

    fn next_half(&mut self) -> Option<u16> {
        self.at += 2;
        half(self.bytes, self.at - 2)
    }

    fn copy_half(&mut self) -> Option<u16> {
        let number = self.next_half()?;
        self.out.extend(number.to_be_bytes());
        Some(number)
    }

    /// Copies the index of a constant.
    fn copy_index(&mut self) -> Option<()> {
        let index = self.copy_half()?;
        self.reach(index);
        Some(())
    }

    fn reach(&mut self, index: u16) {
        let mut waiting = vec![index];
        while let Some(index) = waiting.pop() {
            let Some((start, _)) = self.pool.of(index) else {
                continue;
            };
            if core::mem::replace(&mut self.reached[usize::from(index)], true) {
                continue;
            }
            // The offsets within a constant of the indices of other constants.
            let named: &[usize] = match self.bytes[start] {
                7 | 8 | 16 | 19 | 20 => &[1],
                9..=12 => &[1, 3],
                15 => &[2],
                17 | 18 => &[3],
                _ => &[],
            };
            waiting.extend(named.iter().filter_map(|at| half(self.bytes, start + at)));
        }
    }

    /// Copies the attributes of a field or method that have this name.
    fn attributes(&mut self, kept: &str) -> Option<()> {
        let count_at = self.out.len();
        let count = self.copy_half()?;
        let mut left = 0_u16;
        for _ in 0..count {
            let name = self.next_half()?;
            let length = usize::from(self.next_half()?) << 16 | usize::from(self.next_half()?);
            let contents = self.bytes.get(self.at..self.at.checked_add(length)?)?;
            self.at += length;
            if !self.pool.is_text(self.bytes, name, kept)? {
                continue;
            }
            self.reach(name);
            let contents = if kept == "Code" {
                self.code(contents)?
            } else {
                self.reach(half(contents, 0)?);
                contents.to_vec()
            };
            self.out.extend(name.to_be_bytes());
            self.out
                .extend(u32::try_from(contents.len()).ok()?.to_be_bytes());
            self.out.extend(contents);
            left += 1;
        }
        self.out
            .get_mut(count_at..count_at + 2)?
            .copy_from_slice(&left.to_be_bytes());
        Some(())
    }

    /// Returns a `Code` attribute without its own attributes, but with its handlers (JVMS §4.7.3).
    fn code(&mut self, contents: &'b [u8]) -> Option<Vec<u8>> {
        let length = usize::from(half(contents, 4)?) << 16 | usize::from(half(contents, 6)?);
        let end = 8_usize.checked_add(length)?;
        for insn in instructions(contents.get(8..end)?).map_while(Result::ok) {
            match insn.operand {
                Operand::Constant(index) | Operand::InvokeDynamic(index) => self.reach(index.0),
                Operand::InvokeInterface { method, .. } => self.reach(method.0),
                Operand::MultiArray { class, .. } => self.reach(class.0),
                Operand::None
                | Operand::Int(_)
                | Operand::Local(_)
                | Operand::LocalIncrement { .. }
                | Operand::Branch(_)
                | Operand::TableSwitch(_)
                | Operand::LookupSwitch(_)
                | Operand::ArrayType(_) => {}
            }
        }
        let handlers = usize::from(half(contents, end)?);
        let mut kept = contents.get(..end + 2 + 8 * handlers)?.to_vec();
        kept.extend([0, 0]);
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use jive_core::Pc;
    use jive_verifier::Policy;

    use super::*;
    use crate::fixture::Outcome;
    use crate::machine::{judge, parsed};
    use crate::openjdk::committed;

    /// Returns the parts of a class that JIVE reads, and whether the class has line numbers.
    fn read(bytes: &[u8]) -> (Vec<String>, bool) {
        let read = parsed(bytes, |class| {
            let fields = class.fields().map(|field| {
                let (name, descriptor) = (field.name, field.descriptor);
                let constant = field.constant_value();
                format!("{:?} {name} {descriptor} {constant:?}", field.access)
            });
            let methods = class.methods().map(|method| {
                let (name, descriptor) = (method.name, method.descriptor);
                let code = method.code().map(|code| code.bytes);
                format!("{:?} {name} {descriptor} {code:?}", method.access)
            });
            let has_lines = class
                .methods()
                .filter_map(|method| method.code())
                .any(|code| code.line(Pc(0)).is_some());
            (fields.chain(methods).collect(), has_lines)
        });
        read.expect("a class file")
    }

    #[test]
    fn only_unread_parts_are_removed() {
        for (name, bytes) in committed::files("compilers/javac-8-g") {
            let normal = normalised(&bytes).expect("a well-formed class file");
            let ((before, had_lines), (after, has_lines)) = (read(&bytes), read(&normal));
            assert_eq!(before, after, "{name}");
            assert_eq!((had_lines, has_lines), (true, false), "{name}");
            assert!(normal.len() < bytes.len(), "{name}");
            assert_eq!(normalised(&normal), Some(normal.clone()), "{name}");
            assert_eq!(
                judge(&normal, Policy::ClassOnly, &[]),
                judge(&bytes, Policy::ClassOnly, &[])
            );
        }
        let bytes = &committed::files("compilers/javac-8-g")["StaticInit"];
        let normal = normalised(bytes).expect("a well-formed class file");
        assert_eq!(judge(&normal, Policy::ClassOnly, &[]), Outcome::Accepted);
    }
}
