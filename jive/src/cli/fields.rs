//! The fields of each applet at the end of a run, as text and as JSON.

use std::fmt;

use jive_core::{
    ArrayKind, ClassFile, Cut, ElementType, FieldAccess, FieldType, Heap, limits, parse_field,
};
use jive_embed::text::printable;
use nic_runtime::run::{AppletClass, AppletState, EndpointState, RunEnd};
use nic_runtime::spec::EndpointSpec;
use nic_runtime::spec::Scenario;
use serde::Serialize;

/// Maximum number of elements of an array that the text shows.
const SHOWN_IN_TEXT: usize = 16;

/// Maximum number of elements of an array in the JSON.
const SHOWN_IN_JSON: usize = 64;

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Field {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "static")]
    is_static: bool,
    #[serde(flatten)]
    value: Value,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Value {
    Int {
        value: i32,
    },
    Boolean {
        value: bool,
    },
    Null {
        value: (),
    },
    /// A reference to the applet, the only object to which a field can refer besides arrays.
    This {
        value: &'static str,
    },
    Array {
        length: u32,
        elements: Vec<i32>,
        #[serde(skip)]
        is_bytes: bool,
    },
}

/// The fields of all applets of a run.
#[derive(Debug, Default)]
pub(super) struct Dump<'s> {
    /// One entry for each applet, in the order of the endpoints.
    pub(super) applets: Vec<OfApplet<'s>>,
}

/// The fields of one endpoint's applet, which are one line of the trace in JSON.
#[derive(Debug, Serialize)]
pub(super) struct OfApplet<'s> {
    t_ns: u64,
    nic: &'s str,
    endpoint: &'s str,
    event: &'static str,
    /// The name of the applet's class, if the endpoint has a chain of applets.
    #[serde(skip_serializing_if = "Option::is_none")]
    applet: Option<String>,
    fields: Vec<Field>,
}

impl<'s> Dump<'s> {
    /// Collects the fields of the endpoints of a scenario after a run.
    pub(super) fn of(scenario: &'s Scenario, end: &RunEnd, states: &[EndpointState]) -> Dump<'s> {
        let endpoints = scenario.endpoints.iter().zip(states);
        let applets = endpoints.flat_map(|(spec, state)| {
            let states = state.applet.iter().chain(&state.followers);
            states.map(move |state| (spec, state))
        });
        let applet = |(spec, state): (&'s EndpointSpec, &AppletState)| {
            let class = match &state.class {
                AppletClass::OfScenario(class) => &scenario.classes.get(*class)?.bytes,
                AppletClass::OfCapsule(bytes) => bytes,
            };
            let nic = scenario.nics.get(spec.nic)?;
            Some(OfApplet {
                t_ns: end.time.as_ns(),
                nic: &nic.name,
                endpoint: &spec.name,
                event: "fields",
                applet: spec.has_chain().then(|| class_name(class)).flatten(),
                fields: of(class, state),
            })
        };
        Dump {
            applets: applets.filter_map(applet).collect(),
        }
    }
}

impl fmt::Display for Dump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for applet in &self.applets {
            write!(f, "\nfields of {}", printable(applet.endpoint))?;
            match &applet.applet {
                Some(class) => writeln!(f, ", {}", printable(class))?,
                None => writeln!(f)?,
            }
            for field in &applet.fields {
                writeln!(f, "  {field}")?;
            }
        }
        Ok(())
    }
}

fn class_name(class: &[u8]) -> Option<String> {
    let mut index = vec![0; ClassFile::index_len(class)];
    let class = ClassFile::parse(class, &mut index).ok()?;
    Some(Cut(class.name()).to_string())
}

/// Returns the fields of a class with their values at the end of a run, in the order of the class file. Returns no
/// fields if the bytes are no class file.
pub(super) fn of(class: &[u8], state: &AppletState) -> Vec<Field> {
    let mut index = vec![0; ClassFile::index_len(class)];
    let Ok(class) = ClassFile::parse(class, &mut index) else {
        return Vec::new();
    };
    let null = limits::ARRAY_HEADER_BYTES.next_multiple_of(limits::ARRAY_ALIGNMENT) as usize;
    let mut memory = vec![0; null + state.heap.len()];
    let mut heap = Heap::new(&mut memory);
    heap.restore(&state.heap)
        .expect("the memory is as large as what was in use");
    let fields = class.fields().zip(&state.fields);
    let field = |(field, &value): (jive_core::Field<'_>, &i32)| {
        let kind = parse_field(field.descriptor.as_bytes()).ok()?;
        Some(Field {
            name: Cut(field.name).to_string(),
            kind: java_name(kind),
            is_static: field.access.contains(FieldAccess::STATIC),
            value: held(kind, value, &heap),
        })
    };
    fields.filter_map(field).collect()
}

fn held(kind: FieldType<'_>, value: i32, heap: &Heap<'_>) -> Value {
    match kind {
        FieldType::Boolean => Value::Boolean { value: value != 0 },
        FieldType::Byte
        | FieldType::Short
        | FieldType::Int
        | FieldType::Char
        | FieldType::Long
        | FieldType::Float
        | FieldType::Double => Value::Int { value },
        FieldType::Object(_) | FieldType::Array { .. } if value == 0 => Value::Null { value: () },
        FieldType::Object(_) => Value::This { value: "this" },
        FieldType::Array { .. } => match heap.array(value) {
            Some(array) => Value::Array {
                length: array.length,
                elements: {
                    let bytes = heap.bytes(value).unwrap_or_default();
                    array.kind.elements(bytes).take(SHOWN_IN_JSON).collect()
                },
                is_bytes: array.kind == ArrayKind::Byte,
            },
            None => Value::Null { value: () },
        },
    }
}

/// Returns a type in Java's notation.
fn java_name(kind: FieldType<'_>) -> String {
    let class = |name: &[u8]| Cut(String::from_utf8_lossy(name)).to_string();
    match kind {
        FieldType::Byte => "byte".to_owned(),
        FieldType::Char => "char".to_owned(),
        FieldType::Double => "double".to_owned(),
        FieldType::Float => "float".to_owned(),
        FieldType::Int => "int".to_owned(),
        FieldType::Long => "long".to_owned(),
        FieldType::Short => "short".to_owned(),
        FieldType::Boolean => "boolean".to_owned(),
        FieldType::Object(name) => class(name),
        FieldType::Array {
            dimensions,
            element,
        } => {
            let element = match element {
                ElementType::Byte => "byte".to_owned(),
                ElementType::Char => "char".to_owned(),
                ElementType::Double => "double".to_owned(),
                ElementType::Float => "float".to_owned(),
                ElementType::Int => "int".to_owned(),
                ElementType::Long => "long".to_owned(),
                ElementType::Short => "short".to_owned(),
                ElementType::Boolean => "boolean".to_owned(),
                ElementType::Object(name) => class(name),
            };
            element + &"[]".repeat(dimensions.into())
        }
    }
}

impl fmt::Display for Field {
    /// Shows the field as a Java declaration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modifier = if self.is_static { "static " } else { "" };
        write!(f, "{modifier}{} {} = ", self.kind, self.name)?;
        match &self.value {
            Value::Int { value } => write!(f, "{value}"),
            Value::Boolean { value } => write!(f, "{value}"),
            Value::Null { .. } => f.write_str("null"),
            Value::This { value } => f.write_str(value),
            Value::Array {
                length,
                elements,
                is_bytes,
            } => {
                let element = self.kind.trim_end_matches("[]");
                write!(f, "{element}[{length}]")?;
                for element in elements.iter().take(SHOWN_IN_TEXT) {
                    match is_bytes {
                        // The lowest eight bits of the element are the byte.
                        true => write!(f, " {:02x}", *element as u8)?,
                        false => write!(f, " {element}")?,
                    }
                }
                let is_cut = *length as usize > SHOWN_IN_TEXT;
                f.write_str(if is_cut { " …" } else { "" })
            }
        }
    }
}
