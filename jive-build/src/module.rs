//! Prints a module: the tables of the program, and a function for each method.

use std::fmt::Write as _;

use jive_core::compiled::{Form, MethodRow, Tables, form};
use jive_core::{ClassFile, Program};

use crate::Options;
use crate::graph::Graph;
use crate::live::Callee;
use crate::method::{
    Body, Interpreted, Signature, StopRow, graph, print, print_behind, print_standalone,
};
use crate::names::{Names, snake_case, type_name};
use crate::tables::{print_head, print_names, print_program, print_tables};
use crate::typed::print_type;

/// A printed class.
#[derive(Clone, Debug)]
pub struct Printed {
    /// A module, as Rust.
    pub text: String,
    /// The name of the module.
    pub module: String,
    /// The name of the type of an instance in the module.
    pub type_name: String,
    /// The methods that stay interpreted, by name, and why.
    pub interpreted: Vec<(String, Interpreted)>,
}

/// What printed code does that a reader of Rust would not write.
const ALLOWED: &str = "clippy::all, clippy::allow_attributes, clippy::allow_attributes_without_reason, clippy::pedantic, nonstandard_style, unreachable_pub, unused, unused_qualifications";

/// Prints a linked class as a module.
pub(crate) fn module(
    class: &ClassFile<'_>,
    program: &Program<'_>,
    options: &Options<'_>,
) -> Printed {
    let tables = Tables::of(program);
    let rows: Vec<MethodRow> = tables.methods.iter().map(MethodRow::of).collect();
    let mut bodies = Vec::new();
    let mut signatures = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let body = body(program, number, row);
        let graph = match &body {
            Some(body) => graph(&body.ops, body.entry),
            None => Err(Interpreted::Malformed),
        };
        signatures.push(Signature {
            callee: Callee {
                arguments: row.arguments,
                has_result: row.result.is_some(),
            },
            printed: graph.as_ref().map(|_| ()).map_err(|error| *error),
            needs_heap: false,
            needs_fields: false,
            calls_natives: false,
        });
        bodies.push((body, graph));
    }
    find_needs(&bodies, &mut signatures);
    let print_all = match options.interpreter {
        true => print_leaving,
        false => print_stopping,
    };
    let functions = print_all(&bodies, &mut signatures);
    let java = class.name().to_string();
    let module = Names::new().give(&snake_case(java.rsplit('/').next().unwrap_or(&java)));
    let type_name = Names::new().give(&type_name(&java));
    let mut text = format!(
        "/// Printed by `jive-build` {}.\n#[allow({ALLOWED})]\n#[forbid(unsafe_code)]\npub mod {module} {{\n",
        env!("CARGO_PKG_VERSION"),
    );
    print_head(&mut text, &tables);
    if options.interpreter {
        print_tables(&mut text, &tables, &rows);
        print_program(
            &mut text,
            &tables,
            "&OPS, ends: &ENDS, places: &PLACES, methods: &METHODS, fields: &FIELD_ROWS, switches: &SWITCHES",
        );
        print_code(&mut text, &rows, &signatures, &functions.entries);
    } else {
        print_program(
            &mut text,
            &tables,
            "&[], ends: &[], places: &[], methods: &[], fields: &FIELD_ROWS, switches: &[]",
        );
        print_names(&mut text, class, &functions.stops);
        print_standalone_code(&mut text, &rows, &signatures, options);
    }
    print_type(&mut text, &type_name, class, &rows, options);
    text.push_str(&functions.text);
    text.push_str("}\n");
    let named = class.methods().zip(&signatures).zip(&rows);
    let interpreted = named.filter(|(_, row)| row.entry < row.end);
    let interpreted = interpreted
        .filter_map(|((method, signature), _)| Some((method.name, signature.printed.err()?)));
    Printed {
        interpreted: interpreted
            .map(|(name, reason)| (name.to_string(), reason))
            .collect(),
        text,
        module,
        type_name,
    }
}

/// The printed functions of a class.
#[derive(Default)]
struct Functions {
    text: String,
    /// Where the functions of each method that go on behind calls can begin.
    entries: Vec<(usize, Vec<u32>)>,
    /// The rows of all stops, if there is no interpreter.
    stops: Vec<StopRow>,
}

/// A method and its control flow.
type Analysed<'p> = (Option<Body<'p>>, Result<Graph, Interpreted>);

/// Returns the methods that are printed, with their numbers.
fn printed<'b, 'p>(
    bodies: &'b [Analysed<'p>],
    signatures: &[Signature],
) -> Vec<(usize, &'b Body<'p>, &'b Graph)> {
    let numbered = bodies.iter().zip(signatures).enumerate();
    let printed = numbered.filter_map(|(number, ((body, graph), signature))| {
        signature.printed.ok()?;
        Some((number, body.as_ref()?, graph.as_ref().ok()?))
    });
    printed.collect()
}

/// Prints functions whose exits leave for the interpreter.
fn print_leaving(bodies: &[Analysed<'_>], signatures: &mut [Signature]) -> Functions {
    // A method whose blocks are too deep is found when it is printed, and then its callers leave at their calls.
    loop {
        let mut functions = Functions::default();
        let mut refused = Vec::new();
        for (number, body, graph) in printed(bodies, signatures) {
            match print(body, graph, signatures) {
                Ok(function) => functions.text.push_str(&function),
                Err(reason) => refused.push((number, reason)),
            }
        }
        if refused.is_empty() {
            for (number, body, _) in printed(bodies, signatures) {
                if let Some(behind) = print_behind(body, signatures) {
                    functions.text.push_str(&behind.text);
                    functions.entries.push((number, behind.entries));
                }
            }
            return functions;
        }
        for (number, reason) in refused {
            signatures[number].printed = Err(reason);
        }
    }
}

/// Prints functions whose exits end the call, because there is no interpreter.
fn print_stopping(bodies: &[Analysed<'_>], signatures: &mut [Signature]) -> Functions {
    let mut functions = Functions::default();
    for (number, body, graph) in printed(bodies, signatures) {
        match print_standalone(body, graph, signatures, functions.stops.len()) {
            Ok((function, stops)) => {
                functions.text.push_str(&function);
                functions.stops.extend(stops);
            }
            // The whole class is refused: nothing can run the method.
            Err(reason) => signatures[number].printed = Err(reason),
        }
    }
    functions
}

/// Returns the ops of a method, or `None` if one has no form.
fn body<'p>(program: &Program<'p>, number: usize, row: &MethodRow) -> Option<Body<'p>> {
    let ops: Option<Vec<Form<'p>>> = (row.entry..row.end).map(|op| form(program, op)).collect();
    let ends = Tables::of(program).ends;
    let ends = ends.get(row.entry as usize..row.end as usize)?.to_vec();
    Some(Body {
        number,
        entry: row.entry,
        ops: ops?,
        ends,
        places: Tables::of(program)
            .places
            .get(row.first_place as usize..)
            .unwrap_or_default(),
    })
}

/// Finds which methods take the heap and the fields and call natives: those that do, and those that call such methods.
fn find_needs<G>(bodies: &[(Option<Body<'_>>, G)], signatures: &mut [Signature]) {
    loop {
        let mut changed = false;
        for (number, (body, _)) in bodies.iter().enumerate() {
            let (mut heap, mut fields, mut natives) = (false, false, false);
            for form in body.iter().flat_map(|body| &body.ops) {
                match form {
                    Form::Load { .. }
                    | Form::Store { .. }
                    | Form::Length { .. }
                    | Form::NewArray { .. } => heap = true,
                    Form::Native { .. } => (heap, natives) = (true, true),
                    Form::GetField { .. } | Form::PutField { .. } | Form::PutReference { .. } => {
                        fields = true;
                    }
                    Form::Call { method, .. } => {
                        if let Some(callee) = signatures.get(usize::from(*method)) {
                            heap |= callee.needs_heap;
                            fields |= callee.needs_fields;
                            natives |= callee.calls_natives;
                        }
                    }
                    Form::Const { .. }
                    | Form::Move { .. }
                    | Form::Rotate { .. }
                    | Form::Binary { .. }
                    | Form::Negate { .. }
                    | Form::Narrow { .. }
                    | Form::RejectNull { .. }
                    | Form::Jump(_)
                    | Form::Branch { .. }
                    | Form::Switch { .. }
                    | Form::Return { .. } => {}
                }
            }
            let signature = &mut signatures[number];
            let found = (heap, fields, natives);
            let known = (
                &mut signature.needs_heap,
                &mut signature.needs_fields,
                &mut signature.calls_natives,
            );
            if found != (*known.0, *known.1, *known.2) {
                (*known.0, *known.1, *known.2) = found;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Returns the arms that call the printed methods with arguments from outside, given what is around each call.
fn arms(
    rows: &[MethodRow],
    signatures: &[Signature],
    around: impl Fn(&str, bool) -> String,
) -> String {
    let mut arms = String::new();
    for (number, (row, signature)) in rows.iter().zip(signatures).enumerate() {
        if signature.printed.is_err() || row.entry >= row.end {
            continue;
        }
        let given = row.arguments - u8::from(row.has_receiver);
        let names: Vec<String> = (0..given).map(|at| format!("a{at}")).collect();
        let mut passed = memory(signature);
        passed.push_str("fuel, c::OUTERMOST");
        if row.has_receiver {
            passed.push_str(", c::THIS");
        }
        for name in &names {
            let _ = write!(passed, ", {name}");
        }
        let call = around(
            &format!("m{number}(run, {passed})"),
            signature.callee.has_result,
        );
        let _ = writeln!(
            arms,
            "            ({number}, &[{}]) => {call},",
            names.join(", ")
        );
    }
    arms
}

/// Returns the arguments by which a method takes the memory that it needs.
fn memory(signature: &Signature) -> String {
    let heap = if signature.needs_heap { "heap, " } else { "" };
    let fields = if signature.needs_fields {
        "fields, "
    } else {
        ""
    };
    format!("{heap}{fields}")
}

/// Prints the type that names the printed code, and how it finds its methods.
fn print_code(
    out: &mut String,
    rows: &[MethodRow],
    signatures: &[Signature],
    entries: &[(usize, Vec<u32>)],
) {
    let registers = rows.iter().map(|row| row.registers).max().unwrap_or(0);
    let arms = arms(rows, signatures, |call, _| call.to_owned());
    let mut behind = String::new();
    for (number, ops) in entries {
        let ops: Vec<String> = ops.iter().map(u32::to_string).collect();
        let _ = writeln!(
            behind,
            "            ({number}, {}) => e{number}(run, {}fuel, place, at.1),",
            ops.join(" | "),
            memory(&signatures[*number])
        );
    }
    let _ = writeln!(
        out,
        "/// The printed methods.\n#[derive(Copy, Clone, Debug)]\npub enum Code {{}}\n\n\
         impl c::Code for Code {{\n    const REGISTERS: usize = {registers};\n\n    \
         fn program() -> &'static k::Program<'static> {{\n        &PROGRAM\n    }}\n\n    \
         #[inline(always)]\n    \
         fn enter<N: k::Natives>(\n        method: k::MethodId,\n        arguments: &[i32],\n        \
         run: &mut c::Run<'_, N>,\n        heap: &mut [u8],\n        fields: &mut [i32],\n        \
         fuel: isize,\n    ) -> Option<c::Outcome> {{\n        \
         let fields = fields.first_chunk_mut::<FIELDS>()?;\n        \
         Some(match (method.0, arguments) {{\n{arms}            _ => return None,\n        }})\n    }}\n\n    \
         fn go_on<N: k::Natives>(\n        at: (k::MethodId, u32),\n        place: usize,\n        \
         run: &mut c::Run<'_, N>,\n        heap: &mut [u8],\n        fields: &mut [i32],\n        \
         fuel: isize,\n    ) -> Option<c::Outcome> {{\n        \
         let fields = fields.first_chunk_mut::<FIELDS>()?;\n        \
         Some(match (at.0.0, at.1) {{\n{behind}            _ => return None,\n        }})\n    }}\n}}\n"
    );
}

/// Prints the same for code without an interpreter.
fn print_standalone_code(
    out: &mut String,
    rows: &[MethodRow],
    signatures: &[Signature],
    options: &Options<'_>,
) {
    let arms = arms(rows, signatures, |call, has_result| {
        format!("({call}, {has_result})")
    });
    let _ = writeln!(
        out,
        "/// The printed methods.\n#[derive(Copy, Clone, Debug)]\npub enum Code {{}}\n\n\
         impl c::StandaloneCode for Code {{\n    const NESTED_CALLS: usize = {};\n\n    \
         fn program() -> &'static k::Program<'static> {{\n        &PROGRAM\n    }}\n\n    \
         fn stops() -> &'static [c::Stop] {{\n        STOPS\n    }}\n\n    \
         #[inline(always)]\n    \
         fn enter<N: k::Natives>(\n        method: k::MethodId,\n        arguments: &[i32],\n        \
         run: &mut c::StandaloneRun<'_, N>,\n        heap: &mut [u8],\n        fields: &mut [i32],\n        \
         fuel: isize,\n    ) -> Option<(c::Outcome, bool)> {{\n        \
         let fields = fields.first_chunk_mut::<FIELDS>()?;\n        \
         Some(match (method.0, arguments) {{\n{arms}            _ => return None,\n        }})\n    }}\n}}\n",
        options.nested_calls
    );
}
