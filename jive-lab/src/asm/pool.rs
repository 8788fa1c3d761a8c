//! The constant pool under construction: each entry once, in the order of first use.

use std::collections::BTreeMap;

use super::error::AsmErrorKind;
use super::line::unescaped;
use super::model::{Constant, RawPart};

/// The entries of a constant pool, and the index of each entry by contents and by name.
#[derive(Debug, Default)]
pub(super) struct Pool {
    bytes: Vec<u8>,
    /// Number of used indices of the constant pool; index 0 is not used.
    taken: u16,
    by_entry: BTreeMap<Vec<u8>, u16>,
    by_name: BTreeMap<String, u16>,
}

impl Pool {
    /// Returns `constant_pool_count`: one more than the last index.
    pub(super) fn count(&self) -> u16 {
        self.taken.saturating_add(1)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends an entry to the constant pool, even if an equal entry exists, and gives the new entry a name.
    pub(super) fn define(&mut self, name: &str, constant: &Constant) -> Result<(), AsmErrorKind> {
        let entry = self.encode(constant)?;
        let index = self.append(entry)?;
        self.by_name.insert(name.to_owned(), index);
        Ok(())
    }

    /// Returns the index of a constant. Appends the constant, and the constants that it refers to, if they are new.
    pub(super) fn index(&mut self, constant: &Constant) -> Result<u16, AsmErrorKind> {
        match constant {
            Constant::Index(index) => Ok(*index),
            Constant::Named(name) => self
                .by_name
                .get(name)
                .copied()
                .ok_or_else(|| AsmErrorKind::UnknownConstant { name: name.clone() }),
            other => {
                let entry = self.encode(other)?;
                match self.by_entry.get(&entry) {
                    Some(index) => Ok(*index),
                    None => self.append(entry),
                }
            }
        }
    }

    /// Returns the index of a name or descriptor, which is given as the source writes it.
    pub(super) fn utf8(&mut self, text: &str) -> Result<u16, AsmErrorKind> {
        self.index(&Constant::Utf8(unescaped(text)))
    }

    pub(super) fn class(&mut self, name: &str) -> Result<u16, AsmErrorKind> {
        self.index(&Constant::Class(name.to_owned()))
    }

    /// Returns the bytes of `parts`, where each constant is replaced by its index.
    pub(super) fn raw(&mut self, parts: &[RawPart]) -> Result<Vec<u8>, AsmErrorKind> {
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                RawPart::Bytes(more) => bytes.extend(more),
                RawPart::Index(constant) => bytes.extend(self.index(constant)?.to_be_bytes()),
            }
        }
        Ok(bytes)
    }

    fn append(&mut self, entry: Vec<u8>) -> Result<u16, AsmErrorKind> {
        // A `long` or `double` constant takes two indices (JVMS §4.4.5).
        let slots = if matches!(entry.first(), Some(5 | 6)) {
            2
        } else {
            1
        };
        let index = self.count();
        // The last index is 65,534, because `constant_pool_count` is a `u2`.
        self.taken = self
            .taken
            .checked_add(slots)
            .filter(|taken| *taken < u16::MAX)
            .ok_or(AsmErrorKind::PoolFull)?;
        self.bytes.extend(&entry);
        self.by_entry.entry(entry).or_insert(index);
        Ok(index)
    }

    /// Encodes an entry of the constant pool (JVMS §4.4).
    fn encode(&mut self, constant: &Constant) -> Result<Vec<u8>, AsmErrorKind> {
        Ok(match constant {
            // A definition that only refers to another constant has no entry of its own, so it is refused.
            Constant::Index(_) | Constant::Named(_) => {
                return Err(AsmErrorKind::Unexpected {
                    expected: "a constant",
                    found: "an index".to_owned(),
                });
            }
            Constant::Utf8(text) => {
                let length = u16::try_from(text.len()).map_err(|_| AsmErrorKind::DoesNotFit {
                    what: "the length of a text",
                    value: i64::try_from(text.len()).unwrap_or(i64::MAX),
                    bytes: 2,
                })?;
                let mut entry = vec![1];
                entry.extend(length.to_be_bytes());
                entry.extend(text);
                entry
            }
            Constant::Integer(value) => tagged(3, &value.to_be_bytes()),
            Constant::Float(bits) => tagged(4, &bits.to_be_bytes()),
            Constant::Long(value) => tagged(5, &value.to_be_bytes()),
            Constant::Double(bits) => tagged(6, &bits.to_be_bytes()),
            Constant::Class(name) => tagged(7, &self.utf8(name)?.to_be_bytes()),
            Constant::String(text) => {
                let text = self.index(&Constant::Utf8(text.clone()))?;
                tagged(8, &text.to_be_bytes())
            }
            Constant::Member {
                tag,
                class,
                name,
                descriptor,
            } => {
                let class = self.class(class)?;
                let member = self.name_and_type(name, descriptor)?;
                pair(*tag as u8, class, member)
            }
            Constant::NameAndType { name, descriptor } => {
                let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
                pair(12, name, descriptor)
            }
            Constant::MethodHandle { kind, reference } => {
                let mut entry = vec![15, *kind];
                entry.extend(self.index(reference)?.to_be_bytes());
                entry
            }
            Constant::MethodType(descriptor) => tagged(16, &self.utf8(descriptor)?.to_be_bytes()),
            Constant::Dynamic {
                tag,
                bootstrap,
                name,
                descriptor,
            } => {
                let member = self.name_and_type(name, descriptor)?;
                pair(*tag as u8, *bootstrap, member)
            }
            Constant::Module(name) => tagged(19, &self.utf8(name)?.to_be_bytes()),
            Constant::Package(name) => tagged(20, &self.utf8(name)?.to_be_bytes()),
            Constant::Raw(parts) => self.raw(parts)?,
        })
    }

    fn name_and_type(&mut self, name: &str, descriptor: &str) -> Result<u16, AsmErrorKind> {
        self.index(&Constant::NameAndType {
            name: name.to_owned(),
            descriptor: descriptor.to_owned(),
        })
    }
}

fn tagged(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut entry = vec![tag];
    entry.extend(body);
    entry
}

fn pair(tag: u8, first: u16, second: u16) -> Vec<u8> {
    let mut entry = tagged(tag, &first.to_be_bytes());
    entry.extend(second.to_be_bytes());
    entry
}
