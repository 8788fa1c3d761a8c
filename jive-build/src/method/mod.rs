//! Prints a method: its ops as Rust statements, within blocks and loops that follow the tree of dominators (Ramsey,
//! "Beyond Relooper", ICFP 2022).
//!
//! A block that several places lead to follows a labelled block, which those places break out of. A block that a later
//! one jumps back to begins a labelled loop. Every other block is printed where its one predecessor leads there.
//!
//! A second function goes on behind the calls of a method. It can begin in the middle of a loop, so its blocks are the arms
//! of a `match` in a loop.

mod exits;
mod ops;

use std::collections::HashMap;
use std::fmt::Write as _;

use jive_core::Pc;
use jive_core::compiled::{Form, Target};

pub(crate) use self::exits::StopRow;
use self::exits::Why;
use crate::graph::{Graph, NoGraph};
use crate::live::{Callee, Registers, live, registers};

/// Greatest number of ops of a method that is printed. A method of this size takes the compiler about ten seconds.
pub(crate) const OPS_MAX: usize = 8192;

/// Greatest number of ops of a method that has a second function, for the ops behind its calls.
const OPS_BEHIND_MAX: usize = 2048;

/// Greatest depth of blocks in printed code, since compilers recurse over it.
const DEPTH_MAX: usize = 200;

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
    /// Whether a call of the method may leave at a native.
    pub(crate) calls_natives: bool,
}

/// A method to print.
pub(crate) struct Body<'p> {
    pub(crate) number: usize,
    /// Index of its first op in the program.
    pub(crate) entry: u32,
    pub(crate) ops: Vec<Form<'p>>,
    /// For each op, how many instructions are done behind it.
    pub(crate) ends: Vec<u16>,
    /// The pc of each instruction.
    pub(crate) places: &'p [Pc],
}

/// Which function of a method is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// The method, from its beginning.
    Whole,
    /// The method from the ops behind its calls.
    Behind,
    /// The method, for a program without an interpreter. The rows of its stops begin at this number.
    Standalone { first_stop: usize },
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
    kind: Kind,
    /// The stops of the method, if an exit is a stop.
    stops: Vec<StopRow>,
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
    let mut printer = Printer::new(method, graph, signatures, Kind::Whole);
    printer.print_beginning();
    printer.finish()
}

/// Prints a method for a program without an interpreter, and returns the rows of its stops as well. Other methods have
/// `first_stop` rows before them.
pub(crate) fn print_standalone(
    method: &Body<'_>,
    graph: &Graph,
    signatures: &[Signature],
    first_stop: usize,
) -> Result<(String, Vec<StopRow>), Interpreted> {
    let mut printer = Printer::new(method, graph, signatures, Kind::Standalone { first_stop });
    printer.print_beginning();
    let stops = std::mem::take(&mut printer.stops);
    Ok((printer.finish()?, stops))
}

/// A function that goes on behind the calls of a method.
pub(crate) struct BehindCalls {
    pub(crate) text: String,
    /// The ops at which it can begin.
    pub(crate) entries: Vec<u32>,
}

/// Prints the function that goes on behind the calls of a method. A method whose calls never leave at a native has none,
/// and neither has one that would take the compiler too long: its calls stay interpreted once they have left.
pub(crate) fn print_behind(method: &Body<'_>, signatures: &[Signature]) -> Option<BehindCalls> {
    let calls = method.ops.iter().enumerate();
    let calls = calls.filter(|(_, form)| match form {
        Form::Native { .. } => true,
        Form::Call { method, .. } => {
            let callee = signatures.get(usize::from(*method));
            callee.is_some_and(|callee| callee.printed.is_ok() && callee.calls_natives)
        }
        _ => false,
    });
    let entries: Vec<usize> = calls.map(|(op, _)| op + 1).collect();
    if entries.is_empty() || method.ops.len() > OPS_BEHIND_MAX {
        return None;
    }
    let graph = Graph::behind(&method.ops, method.entry, &entries)?;
    let mut printer = Printer::new(method, &graph, signatures, Kind::Behind);
    printer.print_entries();
    let text = printer.finish().ok()?;
    let entries = entries.iter().map(|op| method.entry + *op as u32).collect();
    Some(BehindCalls { text, entries })
}

impl<'a, 'p> Printer<'a, 'p> {
    fn new(
        method: &'a Body<'p>,
        graph: &'a Graph,
        signatures: &'a [Signature],
        kind: Kind,
    ) -> Self {
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
        Printer {
            method,
            signatures,
            graph,
            live: live(&method.ops, graph, &callees),
            prepaid: method.ends.last().copied().unwrap_or(0).into(),
            exits: HashMap::new(),
            sets: Vec::new(),
            all,
            kind,
            stops: Vec::new(),
            out: String::new(),
            depth: 1,
            deepest: 1,
        }
    }

    /// Prints the method from its beginning.
    fn print_beginning(&mut self) {
        let entry = self.exit(0, Why::Fuel { executed: 0 });
        self.line(&format!("if budget < 0 {{ {entry} }}"));
        self.steps(vec![Step::Tree(0)]);
    }

    /// Prints the blocks that are reached from behind a call as arms, which set the number of the next one.
    fn print_entries(&mut self) {
        self.open("'go: loop {");
        self.open("match at {");
        for block in 0..self.graph.blocks.len() {
            if self.graph.is_arm(block) {
                self.open(&format!("{} => {{", self.first_op(block)));
                self.steps(vec![Step::Within(block, Vec::new()), Step::Close]);
            }
        }
        // The caller names an entry, so that no other number comes here.
        self.line("_ => return (-1, 0),");
        self.depth -= 2;
        self.line("}");
        self.line("}");
    }

    fn first_op(&self, block: usize) -> usize {
        self.method.entry as usize + self.graph.blocks[block].first
    }
}

impl Printer<'_, '_> {
    fn line(&mut self, line: &str) {
        let indent = self.depth.min(20) * 4;
        let _ = writeln!(self.out, "{:indent$}{line}", "");
    }

    /// Prints blocks, the last in the list first.
    fn steps(&mut self, mut steps: Vec<Step>) {
        steps.reverse();
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
                Step::Go { to, .. } if self.kind == Kind::Behind => {
                    if self.graph.is_arm(to) {
                        self.line(&format!("at = {};", self.first_op(to)));
                        self.line("continue 'go;");
                    } else {
                        steps.push(Step::Within(to, Vec::new()));
                    }
                }
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
    fn pay(&mut self, op: usize, target: Target) {
        if target.cost == 0 {
            return;
        }
        let cost = target.cost;
        self.line(&format!("budget = budget.wrapping_sub({cost});"));
        if cost > 0 {
            let exit = self.exit(self.op_of(target), self.unpaid(op, target));
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
}
