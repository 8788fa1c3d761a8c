//! Prints the tables of a module: the linked class, and names and lines of the class file.

use std::fmt::Write as _;

use jive_core::ClassFile;
use jive_core::compiled::{FORM, MethodRow, Tables, bits};

use crate::method::StopRow;

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

/// Prints the names that the module uses, and the fields.
pub(crate) fn print_head(out: &mut String, tables: &Tables<'_>) {
    let _ = write!(
        out,
        "use ::jive_core as k;\nuse ::jive_core::compiled as c;\n\n\
         const _: () = assert!(c::FORM == {FORM:#x}, \"printed for another version of jive-core\");\n\
         const FIELDS: usize = {};\n\nstatic FIELD_ROWS: [k::LinkedField; FIELDS] = [",
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
    out.push_str("];\n");
}

/// Prints the tables that the interpreter reads.
pub(crate) fn print_tables(out: &mut String, tables: &Tables<'_>, rows: &[MethodRow]) {
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
    out.push_str("];\n");
}

/// Prints the program, given its tables but the other members.
pub(crate) fn print_program(out: &mut String, tables: &Tables<'_>, given: &str) {
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
        "\n/// The linked class.\npub static PROGRAM: k::Program<'static> = c::Tables {{\n    ops: {given},\n    \
         initializer: {},\n    constructor: {},\n    applet: {applet},\n    code_bytes: {},\n}}\n.program();\n",
        member(tables.initializer),
        member(tables.constructor),
        tables.code_bytes
    );
}

/// Prints what the class file says of names and lines, and the table of stops.
pub(crate) fn print_names(out: &mut String, class: &ClassFile<'_>, stops: &[StopRow]) {
    let _ = write!(
        out,
        "/// The name of the class.\npub const NAME: &str = {:?};\n\n\
         /// The names of its methods, by [`k::MethodId`].\npub static METHOD_NAMES: &[&str] = &[",
        class.name().to_string()
    );
    list(
        out,
        class
            .methods()
            .map(|it| format!("{:?}", it.name.to_string())),
    );
    out.push_str("];\n\nstatic STOPS: &[c::Stop] = &[\n");
    for stop in stops {
        let StopRow {
            method,
            pc,
            executed,
            cause,
        } = stop;
        let _ = writeln!(
            out,
            "    c::Stop::new({method}, {}, {executed}, c::Cause::{cause}),",
            pc.0
        );
    }
    out.push_str("];\n\nstatic LINES: &[(u16, u16, u16)] = &[");
    let mut lines: Vec<(usize, u16, u16)> = Vec::new();
    for stop in stops {
        // A class has at most as many methods as an id can name.
        let id = jive_core::MethodId(u16::try_from(stop.method).unwrap_or(u16::MAX));
        let code = class.method(id).and_then(|method| method.code());
        if let Some(line) = code.and_then(|code| code.line(stop.pc)) {
            lines.push((stop.method, stop.pc.0, line));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    list(out, lines.iter().map(|row| format!("{row:?}")));
    out.push_str(
        "];\n\n/// Returns the source line of a trap, if the class has line numbers.\n\
         pub fn line(method: k::MethodId, pc: k::Pc) -> Option<u16> {\n    \
         let row = LINES.iter().find(|row| (row.0, row.1) == (method.0, pc.0));\n    \
         row.map(|row| row.2)\n}\n\n",
    );
}
