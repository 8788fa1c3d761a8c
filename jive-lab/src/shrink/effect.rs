//! Simpler instructions that may replace an instruction.

use jive_core::{
    Action, Computational, ConstantSource, FieldType, MemberUse, MethodDescriptor, Opcode,
    parse_field,
};

use crate::asm::opcode_named;

/// Returns the weight of a line of code. Each replacement of a line must have a smaller weight, so that the search
/// ends.
pub(super) fn weight(line: &str) -> u32 {
    /// The weight of an instruction that is not one of the simplest, which the `match` lists.
    const OTHER: u32 = 100;
    match line {
        "pop" | "iconst_0" | "aconst_null" => 1,
        "iconst_1" | "return" => 2,
        _ => {
            let words = line.split_whitespace();
            let numbers = words.clone().filter_map(|word| word.parse::<i64>().ok());
            let bits: u32 = numbers
                .map(|number| 64 - number.unsigned_abs().leading_zeros())
                .sum();
            let targets = u32::try_from(words.count()).unwrap_or(OTHER);
            let jump = if line.starts_with("goto ") { 0 } else { OTHER };
            OTHER + jump + bits + 8 * targets
        }
    }
}

/// Returns lines that may replace a line of code, the simplest first.
pub(super) fn replacements(line: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let words: Vec<&str> = line.split_whitespace().collect();
    let [mnemonic, operands @ ..] = words.as_slice() else {
        return all;
    };
    let Some(opcode) = opcode_named(mnemonic) else {
        return all;
    };
    if let Some((pops, pushed)) = effect(opcode, operands) {
        let pops = core::iter::repeat_n("pop", pops);
        // Leaving one of the instruction's operands in place of its result is simpler than pushing a new value.
        if pushed.is_some() && pops.len() > 0 {
            all.push(lines(pops.clone().skip(1)));
        }
        all.push(lines(pops.clone().chain(pushed)));
        if pushed == Some("iconst_0") {
            all.push(lines(pops.chain(["iconst_1"])));
        }
    }
    all.extend(simpler_operands(opcode, mnemonic, operands));
    all.retain(|replacement| {
        let weight_of = |lines: &[String]| lines.iter().map(|line| weight(line)).sum::<u32>();
        weight_of(replacement) < weight(line)
    });
    all
}

fn lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> Vec<String> {
    lines.into_iter().map(str::to_owned).collect()
}

/// Returns the number of values that an instruction pops, and a constant of the type that it pushes. A branch counts as
/// not taken. Returns `None` for instructions whose effect is not a number of popped values and at most one pushed
/// constant.
fn effect(opcode: Opcode, operands: &[&str]) -> Option<(usize, Option<&'static str>)> {
    const INT: Option<&str> = Some("iconst_0");
    const NULL: Option<&str> = Some("aconst_null");
    Some(match opcode.action() {
        Action::Nothing | Action::Increment | Action::Jump => (0, None),
        Action::Constant(ConstantSource::Null) | Action::Load(Computational::Reference) => {
            (0, NULL)
        }
        Action::Constant(ConstantSource::Immediate | ConstantSource::Pool)
        | Action::Load(Computational::Int) => (0, INT),
        Action::Store(_) | Action::BranchZero(_) | Action::BranchNull(_) | Action::Switch => {
            (1, None)
        }
        Action::BranchInt(_) | Action::BranchReference(_) => (2, None),
        Action::LoadElement(_) | Action::Binary(_) => (2, INT),
        Action::StoreElement(_) => (3, None),
        Action::Unary(_) | Action::ArrayLength => (1, INT),
        Action::NewArray => (1, NULL),
        Action::Member(member) => return member_effect(member, operands.last()?),
        Action::Shuffle(_) | Action::Return(_) | Action::Wide | Action::Unsupported(_) => {
            return None;
        }
    })
}

/// Returns the stack effect of an instruction that uses a member, from the member's descriptor at the end of the
/// operand.
fn member_effect(member: MemberUse, operand: &str) -> Option<(usize, Option<&'static str>)> {
    let constant = |of: FieldType<'_>| match of {
        FieldType::Array { .. } | FieldType::Object(_) => "aconst_null",
        _ => "iconst_0",
    };
    let receiver = usize::from(!member.is_static());
    let descriptor = match operand.find('(') {
        Some(at) => &operand[at..],
        None => operand.rsplit_once(':')?.1,
    };
    let field = || parse_field(descriptor.as_bytes()).ok();
    Some(match member {
        MemberUse::Load | MemberUse::LoadStatic => (receiver, Some(constant(field()?))),
        MemberUse::Store | MemberUse::StoreStatic => (receiver + 1, None),
        MemberUse::Call | MemberUse::CallStatic => {
            let descriptor = MethodDescriptor::parse(descriptor.as_bytes()).ok()?;
            let count = descriptor.parameters().count();
            (receiver + count, descriptor.result().map(constant))
        }
    })
}

/// Returns simpler forms of an instruction: a switch with fewer cases, a smaller number, or a branch as a jump.
fn simpler_operands(opcode: Opcode, mnemonic: &str, operands: &[&str]) -> Vec<Vec<String>> {
    let jump = |target: &str| format!("goto {target}");
    match (opcode.action(), operands) {
        (Action::BranchZero(_) | Action::BranchNull(_), [target]) => {
            vec![vec!["pop".to_owned(), jump(target)]]
        }
        (Action::BranchInt(_) | Action::BranchReference(_), [target]) => {
            vec![vec!["pop".to_owned(), "pop".to_owned(), jump(target)]]
        }
        (Action::Switch, [cases @ .., default, target]) => {
            let mut all = vec![vec!["pop".to_owned(), jump(target)]];
            // A `tableswitch` has one key, followed by a target for each case. A `lookupswitch` has a key for each
            // case.
            let (key, cases, width) = match cases {
                [key, cases @ ..] if opcode == Opcode::Tableswitch => (Some(*key), cases, 1),
                cases => (None, cases, 2),
            };
            let half = cases.len() / width / 2 * width;
            for kept in [&cases[..half], &cases[cases.len().min(half.max(width))..]] {
                let words = key.into_iter().chain(kept.iter().copied());
                let words = [mnemonic]
                    .into_iter()
                    .chain(words)
                    .chain([*default, target]);
                all.push(vec![words.collect::<Vec<_>>().join(" ")]);
            }
            all
        }
        (Action::Constant(_) | Action::Increment, [before @ .., number]) => {
            let number: Option<i64> = number.parse().ok();
            let smaller = number.map(|number| [0, number / 2]);
            let line = |number: i64| {
                let number = number.to_string();
                let words = [mnemonic].into_iter().chain(before.iter().copied());
                words.chain([number.as_str()]).collect::<Vec<_>>().join(" ")
            };
            let smaller = smaller.into_iter().flatten();
            smaller.map(|number| vec![line(number)]).collect()
        }
        _ => Vec::new(),
    }
}
