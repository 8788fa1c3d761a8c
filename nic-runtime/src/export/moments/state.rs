//! The state of a call as a person reads it: names, types and values.

use std::collections::BTreeSet;

use jive_core::{ArrayKind, ClassFile, Code, Disassembly, Heap, decode};
use jive_embed::replay::{Frame, Moment, elements};
use jive_embed::variables::variable_name;
use jive_embed::{Inferred, Policy, Types, fields, names};
use jive_verifier::VerificationType;
use nic_core::sle::NicNative;
use serde::Serialize;

/// Maximum number of bytes of an array that are shown.
const ARRAY_BYTES_MAX: usize = 512;

/// The state of a call before an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallState {
    /// The endpoint of the applet.
    pub endpoint: String,
    /// The name of the applet's class.
    pub class: String,
    /// The name of the class's source file, if it has it.
    pub source: Option<String>,
    /// The running methods, innermost first.
    pub frames: Vec<FrameState>,
    /// The fields.
    pub fields: Vec<Value>,
    /// The arrays that the values refer to, and those alone.
    pub arrays: Vec<Array>,
}

/// A running method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameState {
    /// The method's name.
    pub method: String,
    /// The pc of the next instruction. In a method that calls another one, that of the call.
    pub pc: u16,
    /// The source line of this instruction, if the class has line numbers.
    pub line: Option<u16>,
    /// The instruction.
    pub instruction: String,
    /// The local variables that may be read.
    pub locals: Vec<Value>,
    /// The operand stack, from the bottom.
    pub stack: Vec<Value>,
}

/// A value and what holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The name of the variable or field, or the number of the place on the stack.
    pub name: String,
    /// The value, as Java writes it. An array has its type, its length, and its place in the heap.
    pub value: String,
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Array {
    /// The array, as a value that refers to it shows it.
    pub name: String,
    /// The fields that refer to it.
    pub held_by: Vec<String>,
    /// Number of elements that are left out, because the array is long.
    pub left_out: usize,
    /// The bytes in hexadecimal, if the array is one of `byte`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// The elements, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<Vec<i32>>,
}

impl CallState {
    pub(super) fn of(endpoint: &str, class: ClassFile<'_>, moment: Moment<'_>) -> CallState {
        let mut shown = Values {
            heap: moment.heap,
            arrays: BTreeSet::new(),
        };
        let (types, _) = Inferred::of(class, Policy::ClassOnly, NicNative::TABLE);
        let of_class = class.fields().zip(fields::shown(&class));
        let fields = of_class.zip(moment.fields);
        let fields = fields.map(|((field, name), value)| Value {
            name,
            value: match field.descriptor.as_bytes() {
                [b'[' | b'L', ..] => shown.reference(*value),
                _ => value.to_string(),
            },
        });
        let fields: Vec<Value> = fields.collect();
        let frames = moment.frames.iter().rev();
        let frames = frames.map(|frame| shown.frame(class, &types, frame));
        let frames = frames.collect();
        CallState {
            endpoint: endpoint.to_owned(),
            class: names::class_name(&class),
            source: names::source_name(&class),
            frames,
            arrays: shown.arrays(&fields),
            fields,
        }
    }
}

/// Shows values, and notes the arrays that they refer to.
struct Values<'h> {
    heap: &'h Heap<'h>,
    arrays: BTreeSet<i32>,
}

impl Values<'_> {
    fn frame(&mut self, class: ClassFile<'_>, types: &Inferred, frame: &Frame) -> FrameState {
        let known = types.before(frame.method, frame.pc);
        let method = names::method_name(&class, frame.method);
        let found = class.method(frame.method);
        let code = found.and_then(|method| method.code());
        let insn = code.and_then(|code| decode(code.bytes, frame.pc).ok());
        let instruction = insn.map(|insn| Disassembly::new(insn, class).to_string());
        FrameState {
            method,
            pc: frame.pc.0,
            line: code.and_then(|code| code.line(frame.pc)),
            instruction: words(&instruction.unwrap_or_default()),
            locals: self.locals(class, code.as_ref(), known, frame),
            stack: self.stack(known, frame),
        }
    }

    fn locals(
        &mut self,
        class: ClassFile<'_>,
        code: Option<&Code<'_>>,
        known: Option<&Types>,
        frame: &Frame,
    ) -> Vec<Value> {
        let types = known.map_or(&[][..], |known| &known.locals);
        let typed = frame.locals.iter().zip(types).enumerate();
        let usable = typed.filter(|(_, (_, kind))| **kind != VerificationType::Top);
        let shown = usable.map(|(at, (value, kind))| {
            let local = u16::try_from(at).unwrap_or(u16::MAX);
            let name = code.and_then(|code| variable_name(class.pool(), code, frame.pc, local));
            Value {
                name: name.unwrap_or_else(|| format!("local {at}")),
                value: self.value(*kind, *value),
            }
        });
        shown.collect()
    }

    fn stack(&mut self, known: Option<&Types>, frame: &Frame) -> Vec<Value> {
        let types = known.map_or(&[][..], |known| &known.stack);
        let typed = frame.stack.iter().zip(types).enumerate();
        let shown = typed.map(|(at, (value, kind))| Value {
            name: at.to_string(),
            value: self.value(*kind, *value),
        });
        shown.collect()
    }

    fn value(&mut self, kind: VerificationType, value: i32) -> String {
        match kind {
            VerificationType::Int => value.to_string(),
            _ => self.reference(value),
        }
    }

    fn reference(&mut self, value: i32) -> String {
        if value == 0 {
            return "null".to_owned();
        }
        let text = array_text(self.heap, value);
        if text.is_some() {
            self.arrays.insert(value);
        }
        text.unwrap_or_else(|| "this".to_owned())
    }

    fn arrays(&self, fields: &[Value]) -> Vec<Array> {
        let arrays = self.arrays.iter();
        let arrays = arrays.filter_map(|at| array(self.heap, *at, fields));
        arrays.collect()
    }
}

/// Returns an array's type and length, and its place in the heap.
fn array_text(heap: &Heap<'_>, reference: i32) -> Option<String> {
    let array = heap.array(reference)?;
    let element = match array.kind {
        ArrayKind::Boolean => "boolean",
        ArrayKind::Byte => "byte",
        ArrayKind::Short => "short",
        ArrayKind::Int => "int",
    };
    Some(format!("{element}[{}] at {reference}", array.length))
}

fn array(heap: &Heap<'_>, reference: i32, fields: &[Value]) -> Option<Array> {
    let name = array_text(heap, reference)?;
    let holding = fields.iter().filter(|field| field.value == name);
    let kind = heap.array(reference)?.kind;
    let all = heap.bytes(reference)?;
    let shown = &all[..all.len().min(ARRAY_BYTES_MAX)];
    let is_bytes = kind == ArrayKind::Byte;
    let digits = || shown.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Array {
        held_by: holding.map(|field| field.name.clone()).collect(),
        name,
        left_out: (all.len() - shown.len()) / usize::from(kind.width()),
        bytes: is_bytes.then(digits),
        elements: (!is_bytes).then(|| elements(kind, shown).collect()),
    })
}

/// Returns a text without the blanks that align its columns.
fn words(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}
