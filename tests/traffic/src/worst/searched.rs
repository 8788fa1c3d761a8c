//! Random class files made of pieces that keep the analysis busy, to search for cases that are worse than the handmade
//! ones.

use jive_core::Opcode;

use super::body::Body;
use super::writer::Writer;
use jive_lab::Random;

/// Number of local variables of the method, all `int`s.
const LOCALS: u8 = 4;
/// Bytes that a backward branch can span, rounded down.
const REACH: usize = 32_000;
/// Bytes of the longest piece.
const PIECE_MAX: usize = 16;
/// Number of kinds of pieces.
const KINDS: usize = 10;
/// Maximum number of kinds of pieces in a class: few, so that each kind occurs often.
const KINDS_MAX: usize = 4;

const BYTE_ARRAY: u8 = 8;

/// Returns a class file with one method of at most `code_bytes` bytes of code, which the verifier always accepts.
#[must_use]
pub fn searched(random: &mut Random, code_bytes: usize) -> Vec<u8> {
    let mut writer = Writer::new("Searched");
    let (name, descriptor) = (writer.utf8("m0"), writer.utf8("()V"));
    let (field, int) = (writer.utf8("bound"), writer.utf8("I"));
    writer.field(field, int);
    let this = writer.this();
    let method = writer.name_and_type(name, descriptor);
    let method = writer.method_ref(this, method).to_be_bytes();
    let field = writer.name_and_type(field, int);
    let field = writer.field_ref(this, field).to_be_bytes();
    let kinds: Vec<usize> = (0..=random.below(KINDS_MAX))
        .map(|_| random.below(KINDS))
        .collect();
    let targets = random.below(3);
    let mut body = Body::default();
    for local in 0..LOCALS {
        body.op(Opcode::Iconst1);
        body.ops(Opcode::Istore, [local]);
    }
    // The starts of pieces to which a branch may jump back.
    let mut starts = vec![body.len()];
    while body.len() + PIECE_MAX < code_bytes {
        let here = body.len();
        let back = match targets {
            // Branch back to the first start of a piece in reach, to one of the last two starts, or to any start.
            0 => starts[starts.partition_point(|start| start + REACH < here)],
            1 => starts[starts.len() - 1 - random.below(starts.len().min(2))],
            _ => {
                let start = starts[random.below(starts.len())];
                start.max(here.saturating_sub(REACH))
            }
        };
        // The first pc in reach may be inside a piece, so take the next start of a piece.
        let back = starts[starts
            .partition_point(|start| *start < back)
            .min(starts.len() - 1)];
        let local = u8::try_from(random.below(LOCALS.into())).expect("there are few");
        match kinds[random.below(kinds.len())] {
            0 => body.may_branch(back),
            1 => body.may_branch(here + 4),
            2 => body.ops(
                Opcode::Iinc,
                [local, if random.one_in(2) { 1 } else { 0xff }],
            ),
            3 => {
                body.ops(Opcode::Iload, [local]);
                body.branch(Opcode::Ifgt, back);
            }
            4 => {
                // Skip the back edge, or jump along it.
                body.ops(Opcode::Iload, [local]);
                body.ops(Opcode::Getstatic, field);
                body.branch(Opcode::IfIcmpge, here + 11);
                body.branch(Opcode::Goto, back);
            }
            5 => body.ops(Opcode::Invokestatic, method),
            6 => {
                body.ops(Opcode::Iload, [local]);
                body.ops(Opcode::Newarray, [BYTE_ARRAY]);
                body.op(Opcode::Pop);
            }
            7 => {
                body.op(Opcode::Iconst3);
                body.ops(Opcode::Istore, [local]);
            }
            8 => {
                body.ops(Opcode::Iload, [local]);
                body.ops(Opcode::Putstatic, field);
            }
            _ => body.op(Opcode::Nop),
        }
        starts.push(body.len());
    }
    writer.method(name, descriptor, (2, LOCALS.into()), &body.finish());
    writer.finish()
}
