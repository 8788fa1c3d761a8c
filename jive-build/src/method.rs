//! Prints a method: its ops as Rust statements, within blocks and loops that follow the tree of dominators (Ramsey,
//! "Beyond Relooper", ICFP 2022).
//!
//! A block that several places lead to follows a labelled block, which those places break out of. A block that a later
//! one jumps back to begins a labelled loop. Every other block is printed where its one predecessor leads there.

use std::collections::HashMap;
use std::fmt::Write as _;

use jive_core::compiled::{Element, Form, Source, Target};
use jive_core::{ArrayKind, BinaryOperator, Comparison};

use crate::graph::{Graph, NoGraph};
use crate::live::{Callee, Registers, live, registers};

/// Greatest number of ops of a method that is printed. A method of this size takes the compiler about ten seconds.
pub(crate) const OPS_MAX: usize = 8192;

/// Greatest depth of blocks in printed code, since compilers recurse over it.
const DEPTH_MAX: usize = 200;

/// How many sets of live registers a method stores at its exits. Where there are more, some exits store more registers
/// than need be.
const EXITS_MAX: usize = 24;

/// Why a method stays interpreted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Interpreted {
    /// A loop has several entrances, which Rust cannot express.
    #[error("a loop of the method has several entrances")]
    Irreducible,
    /// The method is longer than the compiler takes well.
    #[error("the method has {0} ops, and at most {OPS_MAX} are compiled")]
    TooLong(usize),
    /// Blocks are nested deeper than the compiler takes well.
    #[error("the method has blocks nested deeper than {DEPTH_MAX}")]
    TooDeep,
    /// The linker made an op for one variant of the interpreter alone, or a branch leads out of the method.
    #[error("the method has an op that no form describes")]
    Malformed,
}

/// What the printer knows of each method of the class.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) callee: Callee,
    /// Whether the method is printed: why not, if it is not.
    pub(crate) printed: Result<(), Interpreted>,
    /// Whether the printed method takes the heap.
    pub(crate) needs_heap: bool,
    /// Whether the printed method takes the fields.
    pub(crate) needs_fields: bool,
}

/// A method to print.
pub(crate) struct Body<'p> {
    pub(crate) number: usize,
    /// Index of its first op in the program.
    pub(crate) entry: u32,
    pub(crate) ops: Vec<Form<'p>>,
    /// For each op, how many instructions are done behind it.
    pub(crate) ends: Vec<u16>,
}

/// Returns the control flow of a method, or why the method is not printed.
pub(crate) fn graph(ops: &[Form<'_>], entry: u32) -> Result<Graph, Interpreted> {
    if ops.len() > OPS_MAX {
        return Err(Interpreted::TooLong(ops.len()));
    }
    Graph::of(ops, entry).map_err(|error| match error {
        NoGraph::Irreducible => Interpreted::Irreducible,
        NoGraph::Malformed => Interpreted::Malformed,
    })
}

/// What is left to print, the next at the end.
enum Step {
    /// A block and the blocks that it dominates.
    Tree(usize),
    /// A block with blocks behind it that several places lead to, the last in the list being the next.
    Within(usize, Vec<usize>),
    /// How control gets from one block to another.
    Go { from: usize, to: usize },
    /// A line that opens, closes or separates blocks.
    Line(String),
    /// The end of a block.
    Close,
}

struct Printer<'a, 'p> {
    method: &'a Body<'p>,
    signatures: &'a [Signature],
    graph: &'a Graph,
    live: Vec<Registers>,
    /// How many instructions the whole method has on its straight path.
    prepaid: i64,
    /// The number of the exit for each set of registers.
    exits: HashMap<Registers, usize>,
    /// The sets of registers, by the number of their exit.
    sets: Vec<Registers>,
    /// All registers of the method.
    all: Registers,
    out: String,
    depth: usize,
    deepest: usize,
}

/// Prints a method.
pub(crate) fn print(
    method: &Body<'_>,
    graph: &Graph,
    signatures: &[Signature],
) -> Result<String, Interpreted> {
    let callees: Vec<Callee> = signatures.iter().map(|it| it.callee).collect();
    let mut all = Registers::default();
    let signature = &signatures[method.number];
    (0..signature.callee.arguments).for_each(|register| all.insert(register));
    for form in &method.ops {
        let mut named = Registers::default();
        registers(
            form,
            &callees,
            |register| all.insert(register),
            |register| named.insert(register),
        );
        all.add(&named);
    }
    let mut printer = Printer {
        method,
        signatures,
        graph,
        live: live(&method.ops, graph, &callees),
        prepaid: method.ends.last().copied().unwrap_or(0).into(),
        exits: HashMap::new(),
        sets: Vec::new(),
        all,
        out: String::new(),
        depth: 1,
        deepest: 1,
    };
    let entry = printer.exit(0, &[]);
    printer.line(&format!("if budget < 0 {{ {entry} }}"));
    printer.body();
    printer.finish()
}

impl Printer<'_, '_> {
    fn line(&mut self, line: &str) {
        let indent = self.depth.min(20) * 4;
        let _ = writeln!(self.out, "{:indent$}{line}", "");
    }

    /// Returns the statement that leaves at an op whose run has not begun.
    fn exit(&mut self, op: usize, more: &[u8]) -> String {
        let mut set = self.live[op];
        more.iter().for_each(|register| set.insert(*register));
        self.exit_with(op, set)
    }

    /// Returns the statement that leaves at a call whose callee has left.
    fn exit_behind(&mut self, op: usize, result: Option<u8>) -> String {
        let mut set = self.live.get(op + 1).copied().unwrap_or_default();
        if let Some(result) = result {
            set.remove(result);
        }
        self.exit_with(op, set)
    }

    fn exit_with(&mut self, op: usize, set: Registers) -> String {
        let at = self.method.entry as usize + op;
        let number = match self.exits.get(&set) {
            Some(number) => *number,
            None => {
                let set = if self.sets.len() < EXITS_MAX {
                    set
                } else {
                    self.all
                };
                let next = self.sets.len();
                let number = *self.exits.entry(set).or_insert(next);
                if number == next {
                    self.sets.push(set);
                }
                number
            }
        };
        format!("break 'x{number} {at};")
    }

    /// Prints all blocks.
    fn body(&mut self) {
        let mut steps = vec![Step::Tree(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Tree(block) => {
                    let merges = self.graph.children[block].iter().copied();
                    let mut merges: Vec<usize> =
                        merges.filter(|child| self.graph.is_merge(*child)).collect();
                    merges.reverse();
                    if self.graph.is_loop[block] {
                        self.open(&format!("'l{block}: loop {{"));
                        steps.push(Step::Close);
                    }
                    steps.push(Step::Within(block, merges));
                }
                Step::Within(block, mut merges) => match merges.pop() {
                    Some(merge) => {
                        self.open(&format!("'b{merge}: {{"));
                        steps.push(Step::Tree(merge));
                        steps.push(Step::Close);
                        steps.push(Step::Within(block, merges));
                    }
                    None => self.block(block, &mut steps),
                },
                Step::Go { from, to } => {
                    if self.graph.order[to] <= self.graph.order[from] {
                        self.line(&format!("continue 'l{to};"));
                    } else if self.graph.is_merge(to) {
                        self.line(&format!("break 'b{to};"));
                    } else {
                        steps.push(Step::Tree(to));
                    }
                }
                Step::Line(line) => self.open(&line),
                Step::Close => {
                    self.depth -= 1;
                    self.line("}");
                }
            }
        }
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    /// Prints the ops of a block, and what follows it.
    fn block(&mut self, number: usize, steps: &mut Vec<Step>) {
        let block = &self.graph.blocks[number];
        for op in block.first..block.end {
            self.op(op, number, steps);
        }
        let last = &self.method.ops[block.end - 1];
        let falls = !matches!(
            last,
            Form::Jump(_) | Form::Branch { .. } | Form::Switch { .. } | Form::Return { .. }
        );
        if falls {
            steps.push(Step::Go {
                from: number,
                to: number + 1,
            });
        }
    }

    /// Prints what a branch pays. A branch that costs more than the straight path leads back, so it tests the fuel.
    fn pay(&mut self, target: Target) {
        if target.cost == 0 {
            return;
        }
        let cost = target.cost;
        self.line(&format!("budget = budget.wrapping_sub({cost});"));
        if cost > 0 {
            let exit = self.exit(self.op_of(target), &[]);
            self.line(&format!("if budget < 0 {{ {exit} }}"));
        }
    }

    fn op_of(&self, target: Target) -> usize {
        (target.op - self.method.entry) as usize
    }

    fn block_of(&self, target: Target) -> usize {
        let op = self.op_of(target);
        self.graph.blocks.partition_point(|block| block.first <= op) - 1
    }

    fn op(&mut self, op: usize, block: usize, steps: &mut Vec<Step>) {
        let method = self.method;
        let form = &method.ops[op];
        let prepaid = self.prepaid;
        match form {
            Form::Const { to, value } => self.line(&format!("r{to} = {value};")),
            Form::Move { to, from } => self.line(&format!("r{to} = r{from};")),
            Form::Rotate { count: 0, .. } => {}
            Form::Rotate { first, count, last } => {
                let (count, last) = (u32::from(*count), u32::from(*last));
                let place = |at: u32| u32::from(*first) + at;
                let to: Vec<String> = (0..count).map(|at| format!("r{}", place(at))).collect();
                let from =
                    (0..count).map(|at| format!("r{}", place((at + count - last % count) % count)));
                let from: Vec<String> = from.collect();
                self.line(&format!("({},) = ({},);", to.join(", "), from.join(", ")));
            }
            Form::Binary {
                operator,
                to,
                left,
                right,
            } => self.binary(op, *operator, (*to, *left), right),
            Form::Negate { to, from } => self.line(&format!("r{to} = r{from}.wrapping_neg();")),
            Form::Narrow { to, from, by } => self.line(&format!(
                "r{to} = c::shift_right(c::shift_left(r{from}, {by}), {by});"
            )),
            Form::Load {
                element,
                to,
                array,
                index,
                offset,
            } => {
                let load = match element {
                    Element::Byte => "load_byte",
                    Element::Unsigned => "load_unsigned",
                    Element::Short => "load_short",
                    Element::Int => "load_int",
                };
                let index = element_index(*index, *offset);
                self.some(op, *to, &format!("c::{load}(heap, r{array}, {index})"));
            }
            Form::Store {
                element,
                array,
                index,
                offset,
                value,
            } => {
                let store = match element {
                    Element::Byte | Element::Unsigned => "store_byte",
                    Element::Short => "store_short",
                    Element::Int => "store_int",
                };
                let (index, exit) = (element_index(*index, *offset), self.exit(op, &[]));
                self.line(&format!(
                    "if c::{store}(heap, r{array}, {index}, r{value}).is_none() {{ {exit} }}"
                ));
            }
            Form::Length { to, array } => {
                self.some(op, *to, &format!("c::length(heap, r{array})"));
            }
            Form::NewArray { kind, to, length } => {
                let kind = match kind {
                    ArrayKind::Boolean => "Boolean",
                    ArrayKind::Byte => "Byte",
                    ArrayKind::Short => "Short",
                    ArrayKind::Int => "Int",
                };
                let make = format!("run.allocate(heap, k::ArrayKind::{kind}, r{length})");
                self.some(op, *to, &make);
            }
            Form::RejectNull { reference } => {
                let exit = self.exit(op, &[]);
                self.line(&format!("if r{reference} == 0 {{ {exit} }}"));
            }
            Form::GetField { to, field } => self.line(&format!("r{to} = fields[{field}];")),
            Form::PutField { field, value } => self.line(&format!("fields[{field}] = r{value};")),
            Form::PutReference { field, value } => {
                let exit = self.exit(op, &[]);
                self.line(&format!("if run.is_transient(r{value}) {{ {exit} }}"));
                self.line(&format!("fields[{field}] = r{value};"));
            }
            Form::Jump(to) => {
                self.pay(*to);
                let to = self.block_of(*to);
                steps.push(Step::Go { from: block, to });
            }
            Form::Branch {
                comparison,
                left,
                right,
                to,
            } => {
                let compare = match comparison {
                    Comparison::Equal => "==",
                    Comparison::NotEqual => "!=",
                    Comparison::Less => "<",
                    Comparison::AtLeast => ">=",
                    Comparison::Greater => ">",
                    Comparison::AtMost => "<=",
                };
                self.open(&format!("if r{left} {compare} {} {{", source(right)));
                self.pay(*to);
                let to = self.block_of(*to);
                steps.push(Step::Go {
                    from: block,
                    to: block + 1,
                });
                steps.push(Step::Close);
                steps.push(Step::Go { from: block, to });
            }
            Form::Switch {
                key,
                default,
                cases,
            } => {
                self.open(&format!("match r{key} {{"));
                steps.push(Step::Close);
                let mut arms: Vec<(Target, Vec<i32>)> = Vec::new();
                for case in cases.iter() {
                    match arms.iter_mut().find(|(to, _)| *to == case.to()) {
                        _ if case.to() == default.to() => {}
                        Some((_, keys)) => keys.push(case.key()),
                        None => arms.push((case.to(), vec![case.key()])),
                    }
                }
                self.arm(block, "_", default.to(), steps);
                for (to, keys) in arms.into_iter().rev() {
                    let keys: Vec<String> = keys.iter().map(i32::to_string).collect();
                    self.arm(block, &keys.join(" | "), to, steps);
                }
            }
            Form::Call {
                method: callee,
                first,
                executed,
            } => self.call(op, *callee, *first, (*executed).into()),
            Form::Native {
                id,
                first,
                arguments,
                result,
            } => {
                let registers = (0..*arguments).map(|at| format!("r{}", first.wrapping_add(at)));
                let registers: Vec<String> = registers.collect();
                let call = format!(
                    "run.native(heap, {id}, &[{}], &mut budget)",
                    registers.join(", ")
                );
                match result {
                    Some(to) => self.some(op, *to, &call),
                    None => {
                        let exit = self.exit(op, &[]);
                        self.line(&format!("if {call}.is_none() {{ {exit} }}"));
                    }
                }
            }
            Form::Return { value, executed } => {
                let value = value.as_ref().map_or("0".to_owned(), source);
                let back = prepaid - i64::from(*executed);
                self.line(&format!("return (budget.wrapping_add({back}), {value});"));
            }
        }
    }

    /// Prints an arm of a switch. The steps are those of the arms before it, in reverse.
    fn arm(&mut self, block: usize, keys: &str, to: Target, steps: &mut Vec<Step>) {
        let mut lines = vec![format!("{keys} => {{")];
        if to.cost != 0 {
            lines.push(format!("budget = budget.wrapping_sub({});", to.cost));
        }
        if to.cost > 0 {
            let exit = self.exit(self.op_of(to), &[]);
            lines.push(format!("if budget < 0 {{ {exit} }}"));
        }
        steps.push(Step::Close);
        steps.push(Step::Go {
            from: block,
            to: self.block_of(to),
        });
        steps.push(Step::Line(lines.join(" ")));
    }

    /// Prints an op that sets a register, or leaves if it would trap.
    fn some(&mut self, op: usize, to: u8, value: &str) {
        let exit = self.exit(op, &[]);
        self.line(&format!("let Some(value) = {value} else {{ {exit} }};"));
        self.line(&format!("r{to} = value;"));
    }

    fn binary(
        &mut self,
        op: usize,
        operator: BinaryOperator,
        (to, left): (u8, u8),
        right: &Source,
    ) {
        let right = source(right);
        let method = match operator {
            BinaryOperator::Add => "wrapping_add",
            BinaryOperator::Subtract => "wrapping_sub",
            BinaryOperator::Multiply => "wrapping_mul",
            BinaryOperator::Divide => {
                return self.some(op, to, &format!("c::divide(r{left}, {right})"));
            }
            BinaryOperator::Remainder => {
                return self.some(op, to, &format!("c::remainder(r{left}, {right})"));
            }
            BinaryOperator::ShiftLeft => {
                return self.line(&format!("r{to} = c::shift_left(r{left}, {right});"));
            }
            BinaryOperator::ShiftRight => {
                return self.line(&format!("r{to} = c::shift_right(r{left}, {right});"));
            }
            BinaryOperator::ShiftRightUnsigned => {
                let shift = format!("r{to} = c::shift_right_unsigned(r{left}, {right});");
                return self.line(&shift);
            }
            BinaryOperator::And => return self.line(&format!("r{to} = r{left} & {right};")),
            BinaryOperator::Or => return self.line(&format!("r{to} = r{left} | {right};")),
            BinaryOperator::Xor => return self.line(&format!("r{to} = r{left} ^ {right};")),
        };
        self.line(&format!("r{to} = r{left}.{method}({right});"));
    }

    fn call(&mut self, op: usize, callee: u16, first: u8, executed: i64) {
        let here = self.exit(op, &[]);
        let Some(signature) = self.signatures.get(usize::from(callee)) else {
            return self.line(&here);
        };
        if signature.printed.is_err() {
            return self.line(&here);
        }
        let result = signature.callee.has_result.then_some(first);
        let heap = if signature.needs_heap { "heap, " } else { "" };
        let fields = if signature.needs_fields {
            "fields, "
        } else {
            ""
        };
        let arguments = (0..signature.callee.arguments)
            .map(|at| format!(", r{}", first.wrapping_add(at)))
            .collect::<String>();
        // What the caller has paid for behind the call, which the callee receives for the time being.
        let behind = self.prepaid - executed;
        let left = self.exit_behind(op, result);
        let next = self.exit(op + 1, &[]);
        self.line(&format!("if !run.has_room(place) {{ {here} }}"));
        self.line(&format!(
            "let (left, value) = m{callee}(run, {heap}{fields}budget.wrapping_add({behind}), \
             place.wrapping_add(c::CALL + {first}){arguments});"
        ));
        self.line(&format!("budget = left.wrapping_sub({behind});"));
        self.open("if budget < 0 {");
        self.line(&format!("if left < 0 {{ {left} }}"));
        if let Some(to) = result {
            self.line(&format!("r{to} = value;"));
        }
        self.line(&next);
        self.depth -= 1;
        self.line("}");
        if let Some(to) = result {
            self.line(&format!("r{to} = value;"));
        }
    }

    /// Puts the head of the function and its exits around the printed blocks.
    fn finish(self) -> Result<String, Interpreted> {
        let exits = self.sets.len();
        if self.deepest + exits > DEPTH_MAX {
            return Err(Interpreted::TooDeep);
        }
        let Body { number, .. } = self.method;
        let signature = &self.signatures[*number];
        let mut out = format!("fn m{number}<N: k::Natives>(run: &mut c::Run<'_, N>, ");
        if signature.needs_heap {
            out.push_str("heap: &mut [u8], ");
        }
        if signature.needs_fields {
            out.push_str("fields: &mut [i32; FIELDS], ");
        }
        out.push_str("fuel: isize, place: usize");
        for argument in 0..signature.callee.arguments {
            let _ = write!(out, ", mut r{argument}: i32");
        }
        out.push_str(") -> c::Outcome {\n");
        let _ = writeln!(
            out,
            "    let mut budget = fuel.wrapping_sub({});",
            self.prepaid
        );
        for register in self.all.iter() {
            if register >= signature.callee.arguments {
                let _ = writeln!(out, "    let mut r{register}: i32 = 0;");
            }
        }
        for exit in (0..exits).rev() {
            let _ = writeln!(out, "    let op: u32 = 'x{exit}: {{");
        }
        out.push_str(&self.out);
        for set in &self.sets {
            let registers: Vec<String> = set
                .iter()
                .map(|register| format!("({register}, r{register})"))
                .collect();
            let _ = writeln!(
                out,
                "    }};\n    return run.leave(place, {number}, op, budget.wrapping_add({}), &[{}]);",
                self.prepaid,
                registers.join(", ")
            );
        }
        out.push_str("}\n");
        Ok(out)
    }
}

fn source(source: &Source) -> String {
    match source {
        Source::Register(register) => format!("r{register}"),
        Source::Constant(value) if *value < 0 => format!("({value})"),
        Source::Constant(value) => value.to_string(),
    }
}

fn element_index(index: u8, offset: i32) -> String {
    match offset {
        0 => format!("r{index}"),
        offset => format!("r{index}.wrapping_add({offset})"),
    }
}
