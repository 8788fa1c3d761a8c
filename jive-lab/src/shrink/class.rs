//! Reduces a class file, member by member and instruction by instruction.
//!
//! The reducer keeps the class as assembly, so that assembling each candidate makes its branch targets, tables and
//! constant pool anew. The first step drops a `StackMapTable` and other attributes that JIVE does not read.

use jive_core::{FieldType, MethodDescriptor};

use super::effect::replacements;
use super::text::{Line, Member, Text};
use super::{Search, bytes};

/// Reduces a class file. A class file is reduced as bytes if the parser rejects it, or if it is no longer interesting
/// after reassembly.
pub fn class(search: &mut Search<'_>) {
    let text = Text::of(search.best());
    let built = text.as_ref().and_then(Text::build);
    let (Some(mut text), Some(built)) = (text, built) else {
        return bytes(search);
    };
    if !search.accepts(built) {
        if !search.is_over() {
            bytes(search);
        }
        return;
    }
    search.repeat(|search| {
        members(&mut text, search);
        for position in 0..text.members.len() {
            if text.members[position].has_code() {
                method(&mut text, position, search);
            } else {
                without_value(&mut text, position, search);
            }
        }
    });
}

/// Removes members of the class, and lines about the class itself.
fn members(text: &mut Text, search: &mut Search<'_>) {
    let whole = text.clone();
    search.remove_runs(&mut text.members, |members| {
        let members = members.to_vec();
        Text {
            members,
            ..whole.clone()
        }
        .build()
    });
    let removable = |line: &String| line.starts_with(".implements") || line.starts_with(".source");
    let mut lines: Vec<String> = text
        .head
        .iter()
        .filter(|line| removable(line))
        .cloned()
        .collect();
    let members = text.members.clone();
    let head_with = |kept: &[String]| -> Vec<String> {
        let head = whole.head.iter();
        head.filter(|line| !removable(line) || kept.contains(line))
            .cloned()
            .collect()
    };
    search.remove_runs(&mut lines, |lines| {
        Text {
            head: head_with(lines),
            members: members.clone(),
        }
        .build()
    });
    text.head = head_with(&lines);
}

/// Removes the constant value of a field.
fn without_value(text: &mut Text, position: usize, search: &mut Search<'_>) {
    let Some((head, _)) = text.members[position].head.split_once(" = ") else {
        return;
    };
    let head = head.to_owned();
    let lines = Vec::new();
    replace(text, position, Member { head, lines }, search);
}

/// Replaces a member of the class if the class stays interesting.
fn replace(text: &mut Text, position: usize, member: Member, search: &mut Search<'_>) -> bool {
    let old = std::mem::replace(&mut text.members[position], member);
    let is_kept = text.build().is_some_and(|built| search.accepts(built));
    if !is_kept {
        text.members[position] = old;
    }
    is_kept
}

/// Reduces the code of a method in the class.
fn method(text: &mut Text, position: usize, search: &mut Search<'_>) {
    if let Some(stub) = stub(&text.members[position])
        && stub.lines.len() < text.members[position].lines.len()
    {
        replace(text, position, stub, search);
    }
    statements(text, position, search);
    let mut at = 0;
    while at < text.members[position].lines.len() && !search.is_over() {
        if !simplify(text, position, at, search) {
            at += 1;
        }
    }
    limits(text, position, search);
}

/// Returns the method with a body that only returns.
fn stub(member: &Member) -> Option<Member> {
    let (head, ..) = member.limits()?;
    let descriptor = &head[head.find('(')?..];
    let result = MethodDescriptor::parse(descriptor.as_bytes())
        .ok()?
        .result();
    let lines: &[&str] = match result {
        None => &["return"],
        Some(FieldType::Array { .. } | FieldType::Object(_)) => &["aconst_null", "areturn"],
        Some(_) => &["iconst_0", "ireturn"],
    };
    Some(Member {
        head: member.head.clone(),
        lines: lines
            .iter()
            .map(|line| Line::Code((*line).to_owned()))
            .collect(),
    })
}

/// Removes lines of a method's code, but first its line number table and its exception table as wholes.
fn statements(text: &mut Text, position: usize, search: &mut Search<'_>) {
    for table in [".line", ".catch"] {
        let member = &text.members[position];
        let is_table =
            |at: &usize| matches!(&member.lines[*at], Line::Code(code) if code.starts_with(table));
        let all = member.code_lines();
        let kept: Vec<usize> = all.iter().copied().filter(|at| !is_table(at)).collect();
        if kept.len() < all.len() {
            let member = member.with_code(&kept);
            replace(text, position, member, search);
        }
    }
    let whole = text.clone();
    let member = &whole.members[position];
    let mut kept = member.code_lines();
    search.remove_runs(&mut kept, |kept| {
        let mut shorter = whole.clone();
        shorter.members[position] = member.with_code(kept);
        shorter.build()
    });
    text.members[position] = member.with_code(&kept);
}

/// Replaces a line of code by something simpler. Returns whether the line was replaced.
fn simplify(text: &mut Text, position: usize, at: usize, search: &mut Search<'_>) -> bool {
    let Line::Code(code) = &text.members[position].lines[at] else {
        return false;
    };
    for replacement in replacements(code) {
        let mut member = text.members[position].clone();
        let lines = replacement.into_iter().map(Line::Code);
        member.lines.splice(at..=at, lines);
        if replace(text, position, member, search) {
            return true;
        }
    }
    false
}

/// Lowers `max_stack` and `max_locals`.
fn limits(text: &mut Text, position: usize, search: &mut Search<'_>) {
    loop {
        let member = &text.members[position];
        let Some((head, stack, locals)) = member.limits() else {
            return;
        };
        let lower = [
            (stack / 2, locals),
            (stack.saturating_sub(1), locals),
            (stack, locals / 2),
            (stack, locals.saturating_sub(1)),
        ];
        let heads = lower
            .into_iter()
            .filter(|lower| *lower != (stack, locals))
            .map(|(stack, locals)| format!("{head} stack {stack} locals {locals}"));
        let lines = member.lines.clone();
        let members: Vec<Member> = heads
            .map(|head| Member {
                head,
                lines: lines.clone(),
            })
            .collect();
        let lowered = members
            .into_iter()
            .any(|member| replace(text, position, member, search));
        if !lowered {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answer;
    use super::*;
    use crate::asm::{assemble, disassemble};
    use jive_core::ClassFile;

    fn disassembled(bytes: &[u8]) -> Option<String> {
        let mut index = vec![0; ClassFile::index_len(bytes)];
        Some(disassemble(ClassFile::parse(bytes, &mut index).ok()?))
    }

    /// Reduces a source as long as the disassembly has, for each text in `needed`, a line that begins with the text.
    fn reduced(source: &str, needed: &[&str]) -> String {
        let bytes = assemble("test", source)
            .expect("the source is well formed")
            .bytes;
        let mut test = |candidate: &[u8]| {
            let text = disassembled(candidate).unwrap_or_default();
            let has = |line: &&str| text.lines().any(|found| found.trim().starts_with(*line));
            if needed.iter().all(has) {
                Answer::Interesting
            } else {
                Answer::Boring
            }
        };
        let mut search = Search::new(bytes, &mut test);
        class(&mut search);
        disassembled(search.best()).expect("it is interesting")
    }

    const LOOP: &str = "\
.source Loop.java
.field static count I = 7
.field static bytes [B
.method static run(I)I stack 4 locals 3
    .line 3
    iconst_0
    istore_1
again:
    .line 4
    iload_0
    ifle end
    iload_1
    sipush 1000
    iload_0
    idiv
    iadd
    istore_1
    iinc 0 -1
    goto again
end:
    iload_1
    ireturn
";

    #[test]
    fn one_instruction_is_left_of_a_class() {
        assert_eq!(
            reduced(LOOP, &["idiv"]),
            "\
.version 49.0
.class public super Fixture
.super java/lang/Object
.omit all
.method static run(I)I stack 0 locals 1
    idiv
"
        );
    }

    #[test]
    fn branches_and_values_keep_their_places() {
        // The loop's test and its back edge need their labels. The instruction `idiv` needs no operands, since the test
        // asks only for its text.
        let text = reduced(LOOP, &["ifle", "idiv", "goto", "ireturn"]);
        let body = text.split_once("locals 1\n").expect("a method").1;
        assert_eq!(
            body,
            "L0:\n    ifle L7\n    idiv\n    goto L0\nL7:\n    ireturn\n"
        );
    }

    #[test]
    fn switches_and_numbers_become_small() {
        let source = ".method static run(I)V stack 9 locals 9
            iload_0
            tableswitch 5: a b c d default: d
            a: nop
            b: nop
            c: sipush 12345
            pop
            d: return
        ";
        let text = reduced(source, &["return"]);
        assert!(text.ends_with("stack 0 locals 1\n    return\n"), "{text}");
        let contains_switch = |text: &str| text.contains("tableswitch");
        let bytes = assemble("test", source).expect("it is well formed").bytes;
        let mut test = |candidate: &[u8]| {
            let text = disassembled(candidate).unwrap_or_default();
            if contains_switch(&text) {
                Answer::Interesting
            } else {
                Answer::Boring
            }
        };
        let mut search = Search::new(bytes, &mut test);
        class(&mut search);
        let text = disassembled(search.best()).expect("it is interesting");
        // One case of the switch remains, because a `tableswitch` without a case does not decode (JVMS
        // §6.5.tableswitch).
        assert!(text.contains("tableswitch 5: L20 default: L20\n"), "{text}");
    }

    #[test]
    fn a_malformed_class_is_reduced_as_bytes() {
        let mut bytes = assemble("test", LOOP).expect("it is well formed").bytes;
        bytes[3] = 0;
        let mut test = |candidate: &[u8]| match candidate.starts_with(&[0xca, 0xfe]) {
            true => Answer::Interesting,
            false => Answer::Boring,
        };
        let mut search = Search::new(bytes, &mut test);
        class(&mut search);
        assert_eq!(search.best(), [0xca, 0xfe]);
    }

    #[test]
    fn the_test_ends_the_search() {
        let bytes = assemble("test", LOOP).expect("it is well formed").bytes;
        let mut attempts = 0;
        let mut test = |_: &[u8]| {
            attempts += 1;
            if attempts > 5 {
                Answer::Over
            } else {
                Answer::Boring
            }
        };
        let mut search = Search::new(bytes.clone(), &mut test);
        class(&mut search);
        assert_eq!((search.best(), search.kept()), (&*bytes, 0));
        assert!(search.is_over());
        assert_eq!(attempts, 6);
    }
}
