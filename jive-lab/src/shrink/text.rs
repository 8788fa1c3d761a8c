//! A class file as assembly from which the reducer can remove lines.

use crate::asm::{assemble, disassemble};
use jive_core::ClassFile;

/// The assembly of a class.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// Lines about the class itself.
    pub(super) head: Vec<String>,
    pub(super) members: Vec<Member>,
}

/// A field or a method.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The line that declares the member.
    pub(super) head: String,
    /// The member's code.
    pub(super) lines: Vec<Line>,
}

/// A line of a method's assembly: a label or code. A label stays when the line of code after it is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Label(String),
    Code(String),
}

impl Text {
    /// Disassembles a class file. Returns `None` if the class file is malformed.
    pub(super) fn of(bytes: &[u8]) -> Option<Text> {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        let assembly = disassemble(ClassFile::parse(bytes, &mut index).ok()?);
        let mut text = Text {
            head: Vec::new(),
            members: Vec::new(),
        };
        for line in assembly.lines() {
            let is_member = line.starts_with(".field") || line.starts_with(".method");
            match text.members.last_mut() {
                _ if is_member => text.members.push(Member {
                    head: line.to_owned(),
                    lines: Vec::new(),
                }),
                Some(member) => member.lines.push(match line.strip_suffix(':') {
                    Some(label) => Line::Label(label.to_owned()),
                    None => Line::Code(line.trim().to_owned()),
                }),
                None => text.head.push(line.to_owned()),
            }
        }
        Some(text)
    }

    /// Assembles the class file. Returns `None` if the text has no encoding, for example because a branch is too long.
    pub(super) fn build(&self) -> Option<Vec<u8>> {
        let mut text = String::new();
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        for head in &self.head {
            line(head);
        }
        for member in &self.members {
            line(&member.head);
            for of_member in &member.lines {
                match of_member {
                    Line::Label(label) => line(&format!("{label}:")),
                    Line::Code(code) => line(code),
                }
            }
        }
        assemble("shrunk", &text).ok().map(|class| class.bytes)
    }
}

impl Member {
    /// Returns whether the member is a method with code.
    pub(super) fn has_code(&self) -> bool {
        self.limits().is_some()
    }

    /// Splits the limits `max_stack` and `max_locals` of the code from the line that declares a method.
    pub(super) fn limits(&self) -> Option<(&str, u16, u16)> {
        let (head, limits) = self.head.rsplit_once(" stack ")?;
        let (stack, locals) = limits.split_once(" locals ")?;
        Some((head, stack.parse().ok()?, locals.parse().ok()?))
    }

    /// Returns the positions in `lines` of the lines of code, without labels.
    pub(super) fn code_lines(&self) -> Vec<usize> {
        let is_code = |line: &Line| matches!(line, Line::Code(_));
        let lines = self.lines.iter().enumerate();
        lines
            .filter_map(|(at, line)| is_code(line).then_some(at))
            .collect()
    }

    /// Returns the member with only these lines of code, and with the labels that these lines use.
    pub(super) fn with_code(&self, kept: &[usize]) -> Member {
        let words: Vec<&str> = kept
            .iter()
            .filter_map(|at| match &self.lines[*at] {
                Line::Code(code) => Some(code.split_whitespace()),
                Line::Label(_) => None,
            })
            .flatten()
            .collect();
        let mut kept = kept.iter().copied().peekable();
        let lines = self.lines.iter().enumerate();
        let lines = lines.filter(|(at, line)| match line {
            Line::Label(label) => words.contains(&label.as_str()),
            Line::Code(_) => kept.next_if_eq(at).is_some(),
        });
        Member {
            head: self.head.clone(),
            lines: lines.map(|(_, line)| line.clone()).collect(),
        }
    }
}
