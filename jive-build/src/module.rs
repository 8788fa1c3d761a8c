//! Prints a module: the tables of the program, and a function for each method.

use std::fmt::Write as _;

use jive_core::compiled::{FORM, Form, MethodRow, Tables, bits, form};
use jive_core::{ClassFile, Program};

use crate::Options;
use crate::live::Callee;
use crate::method::{Body, Interpreted, Signature, graph, print};
use crate::names::{Names, snake_case, type_name};
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
        });
        bodies.push((body, graph));
    }
    find_needs(&bodies, &mut signatures);
    let mut functions = String::new();
    // A method whose blocks are too deep is found when it is printed, and then its callers leave at their calls.
    loop {
        functions.clear();
        let mut is_new = false;
        for number in 0..bodies.len() {
            let (Some(body), Ok(graph)) = &bodies[number] else {
                continue;
            };
            if signatures[number].printed.is_err() {
                continue;
            }
            match print(body, graph, &signatures) {
                Ok(function) => functions.push_str(&function),
                Err(reason) => {
                    signatures[number].printed = Err(reason);
                    is_new = true;
                }
            }
        }
        if !is_new {
            break;
        }
    }
    let java = class.name().to_string();
    let module = Names::new().give(&snake_case(java.rsplit('/').next().unwrap_or(&java)));
    let type_name = Names::new().give(&type_name(&java));
    let mut text = format!(
        "/// Printed by `jive-build` {}.\n#[allow({ALLOWED})]\n#[forbid(unsafe_code)]\npub mod {module} {{\n",
        env!("CARGO_PKG_VERSION"),
    );
    print_tables(&mut text, &tables, &rows);
    print_code(&mut text, &rows, &signatures);
    print_type(&mut text, &type_name, class, &rows, options);
    text.push_str(&functions);
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
    })
}

/// Finds which methods take the heap and the fields: those that use them, and those that call such methods.
fn find_needs<G>(bodies: &[(Option<Body<'_>>, G)], signatures: &mut [Signature]) {
    loop {
        let mut changed = false;
        for (number, (body, _)) in bodies.iter().enumerate() {
            let (mut heap, mut fields) = (false, false);
            for form in body.iter().flat_map(|body| &body.ops) {
                match form {
                    Form::Load { .. }
                    | Form::Store { .. }
                    | Form::Length { .. }
                    | Form::NewArray { .. }
                    | Form::Native { .. } => heap = true,
                    Form::GetField { .. } | Form::PutField { .. } | Form::PutReference { .. } => {
                        fields = true;
                    }
                    Form::Call { method, .. } => {
                        if let Some(callee) = signatures.get(usize::from(*method)) {
                            heap |= callee.needs_heap;
                            fields |= callee.needs_fields;
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
            if (heap, fields) != (signature.needs_heap, signature.needs_fields) {
                (signature.needs_heap, signature.needs_fields) = (heap, fields);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Prints values in lines of a bounded length.
fn list(out: &mut String, values: impl Iterator<Item = String>) {
    let mut width = 0;
    for value in values {
        width += value.len() + 2;
        let separator = if width > 110 {
            width = 0;
            "\n    "
        } else {
            " "
        };
        let _ = write!(out, "{separator}{value},");
    }
}

fn print_tables(out: &mut String, tables: &Tables<'_>, rows: &[MethodRow]) {
    let _ = writeln!(
        out,
        "use ::jive_core as k;\nuse ::jive_core::compiled as c;\n\n\
         const _: () = assert!(c::FORM == {FORM:#x}, \"printed for another version of jive-core\");\n\
         const FIELDS: usize = {};\n",
        tables.fields.len()
    );
    let _ = write!(out, "static OPS: [k::Op; {}] = c::ops([", tables.ops.len());
    let ops = tables.ops.iter().map(|op| bits(*op).unwrap_or(u64::MAX));
    list(out, ops.map(|bits| format!("{bits:#x}")));
    let _ = write!(out, "]);\nstatic ENDS: [u16; {}] = [", tables.ends.len());
    list(out, tables.ends.iter().map(u16::to_string));
    let _ = write!(
        out,
        "];\nstatic PLACES: [k::Pc; {}] = c::pcs([",
        tables.places.len()
    );
    list(out, tables.places.iter().map(|pc| pc.0.to_string()));
    let _ = write!(
        out,
        "]);\nstatic SWITCHES: [k::SwitchCase; {}] = c::rows([",
        tables.switches.len()
    );
    list(
        out,
        tables.switches.iter().map(|row| {
            let to = row.to();
            format!("({}, {}, {})", row.key(), to.op, to.cost)
        }),
    );
    let _ = writeln!(
        out,
        "]);\nstatic METHODS: [k::LinkedMethod; {}] = [",
        rows.len()
    );
    for row in rows {
        let MethodRow {
            entry,
            end,
            limit,
            prepaid,
            arguments,
            registers,
            is_native,
            has_receiver,
            result,
            first_place,
        } = row;
        let result = match result {
            Some(kind) => format!("Some(k::ValueKind::{kind:?})"),
            None => "None".to_owned(),
        };
        let _ = writeln!(
            out,
            "    c::MethodRow {{ entry: {entry}, end: {end}, limit: {limit}, prepaid: {prepaid}, arguments: {arguments}, \
             registers: {registers}, is_native: {is_native}, has_receiver: {has_receiver}, result: {result}, \
             first_place: {first_place} }}.method(),"
        );
    }
    let _ = write!(
        out,
        "];\nstatic FIELD_ROWS: [k::LinkedField; {}] = [",
        tables.fields.len()
    );
    list(
        out,
        tables.fields.iter().map(|field| {
            format!(
                "k::LinkedField {{ kind: k::ValueKind::{:?}, initial: {} }}",
                field.kind, field.initial
            )
        }),
    );
    let member = |id: Option<jive_core::MethodId>| match id {
        Some(id) => format!("Some(k::MethodId({}))", id.0),
        None => "None".to_owned(),
    };
    let applet = match tables.applet {
        Some(applet) => format!(
            "Some(k::AppletMembers {{ constructor: k::MethodId({}), rx_buf: {} }})",
            applet.constructor.0,
            applet.rx_buf.map_or("None".to_owned(), |id| format!(
                "Some(k::FieldId({}))",
                id.0
            )),
        ),
        None => "None".to_owned(),
    };
    let _ = writeln!(
        out,
        "];\n\n/// The linked class.\npub static PROGRAM: k::Program<'static> = c::Tables {{\n    ops: &OPS,\n    \
         ends: &ENDS,\n    places: &PLACES,\n    methods: &METHODS,\n    fields: &FIELD_ROWS,\n    \
         switches: &SWITCHES,\n    initializer: {},\n    constructor: {},\n    applet: {applet},\n    \
         code_bytes: {},\n}}\n.program();\n",
        member(tables.initializer),
        member(tables.constructor),
        tables.code_bytes
    );
}

/// Prints the type that names the printed code, and how it finds its methods.
fn print_code(out: &mut String, rows: &[MethodRow], signatures: &[Signature]) {
    let registers = rows.iter().map(|row| row.registers).max().unwrap_or(0);
    let mut arms = String::new();
    for (number, (row, signature)) in rows.iter().zip(signatures).enumerate() {
        if signature.printed.is_err() || row.entry >= row.end {
            continue;
        }
        let given = row.arguments - u8::from(row.has_receiver);
        let names: Vec<String> = (0..given).map(|at| format!("a{at}")).collect();
        let mut passed = String::new();
        if signature.needs_heap {
            passed.push_str("heap, ");
        }
        if signature.needs_fields {
            passed.push_str("fields, ");
        }
        passed.push_str("fuel, c::OUTERMOST");
        if row.has_receiver {
            passed.push_str(", c::THIS");
        }
        for name in &names {
            let _ = write!(passed, ", {name}");
        }
        let _ = writeln!(
            arms,
            "            ({number}, &[{}]) => m{number}(run, {passed}),",
            names.join(", ")
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
         Some(match (method.0, arguments) {{\n{arms}            _ => return None,\n        }})\n    }}\n}}\n"
    );
}
