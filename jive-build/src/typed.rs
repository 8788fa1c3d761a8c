//! Prints the type of an instance, whose methods have the types of the Java methods.

use std::fmt::Write as _;

use jive_core::compiled::MethodRow;
use jive_core::{ArrayKind, ClassFile, Cut, FieldType, MethodDescriptor};

use crate::Options;
use crate::names::{Names, snake_case};

/// How a value of a Java type appears in Rust.
enum Shown {
    /// An `int` and its like, by the Rust type.
    Scalar(&'static str),
    /// An array, by the Rust type of its elements.
    Array(&'static str),
    /// An object, which is the instance itself or null.
    Object,
}

impl Shown {
    fn of(field: &FieldType<'_>) -> Shown {
        match field.array_kind() {
            Some(ArrayKind::Boolean) => Shown::Array("bool"),
            Some(ArrayKind::Byte) => Shown::Array("u8"),
            Some(ArrayKind::Short) => Shown::Array("i16"),
            Some(ArrayKind::Int) => Shown::Array("i32"),
            None => match field {
                FieldType::Int => Shown::Scalar("i32"),
                FieldType::Short => Shown::Scalar("i16"),
                FieldType::Byte => Shown::Scalar("i8"),
                FieldType::Boolean => Shown::Scalar("bool"),
                FieldType::Object(_)
                | FieldType::Array { .. }
                | FieldType::Char
                | FieldType::Long
                | FieldType::Float
                | FieldType::Double => Shown::Object,
            },
        }
    }
}

/// Prints the type and its methods.
pub(crate) fn print_type(
    out: &mut String,
    name: &str,
    class: &ClassFile<'_>,
    rows: &[MethodRow],
    options: &Options<'_>,
) {
    let Options {
        heap_bytes,
        nested_calls,
        fuel,
        interpreter,
        ..
    } = options;
    let registers = rows.iter().map(|row| row.registers).max().unwrap_or(0);
    let slots = usize::from(registers) * nested_calls + jive_core::limits::REGISTER_WINDOW;
    let java = Cut(class.name()).to_string();
    let java = java.replace(['`', '*'], "_");
    // Registers are variables of the host's stack, and stay there without an interpreter.
    let (unit, new) = if *interpreter {
        let unit = format!("c::Unit<FIELDS, {heap_bytes}, {slots}, {nested_calls}>");
        (unit, "new")
    } else {
        let unit = format!("c::Unit<FIELDS, {heap_bytes}, 0, 0>");
        (unit, "new_standalone")
    };
    let _ = write!(
        out,
        "/// An instance of the class `{java}`, with its own memory.\n\
         #[derive(Debug)]\npub struct {name}<N> {{\n    unit: {unit},\n    natives: N,\n}}\n\n\
         impl<N: k::Natives> {name}<N> {{\n    \
         /// Makes an instance, and runs the static initializer and the constructor.\n    ///\n    \
         /// # Errors\n    ///\n    /// Returns the trap in which an initializer ends.\n    \
         pub fn new(mut natives: N) -> Result<Self, k::Trap> {{\n        \
         let unit = c::Unit::{new}::<Code>({fuel}, &mut natives)?;\n        \
         Ok(Self {{ unit, natives }})\n    }}\n\n    \
         /// Borrows the instance's memory: its arrays, and the fuel of its calls.\n    \
         pub fn unit(&mut self) -> &mut {unit} {{\n        &mut self.unit\n    }}\n\n    \
         /// Borrows the natives.\n    \
         pub fn natives(&mut self) -> &mut N {{\n        &mut self.natives\n    }}\n"
    );
    if *interpreter {
        out.push_str(
            "\n    /// Lends the instance and its call stack, for whatever else they can do.\n    \
             pub fn with<R>(&mut self, work: impl FnOnce(&mut k::Instance<'_>, &mut k::CallStack<'_>) -> R) -> R {\n        \
             self.unit.with::<Code, R>(work)\n    }\n",
        );
    }
    let mut names = Names::new();
    let _ = names.give("with");
    for (number, (method, row)) in class.methods().zip(rows).enumerate() {
        if row.entry >= row.end || method.name.to_string().starts_with('<') {
            continue;
        }
        let Ok(descriptor) = MethodDescriptor::parse(method.descriptor.as_bytes()) else {
            continue;
        };
        let rust = names.give(&snake_case(&method.name.to_string()));
        let call = if *interpreter {
            "call"
        } else {
            "call_standalone"
        };
        print_method(out, (number, call), &rust, &descriptor, &{
            let java = format!("{}{}", Cut(method.name), Cut(method.descriptor));
            java.replace(['`', '*'], "_")
        });
    }
    out.push_str("}\n\n");
}

fn print_method(
    out: &mut String,
    (number, call): (usize, &str),
    rust: &str,
    descriptor: &MethodDescriptor<'_>,
    java: &str,
) {
    let (mut head, mut passed, mut words, mut back) =
        (String::new(), String::new(), Vec::new(), String::new());
    for (place, parameter) in descriptor.parameters().enumerate() {
        match Shown::of(&parameter) {
            Shown::Scalar(scalar) => {
                let _ = write!(head, ", a{place}: {scalar}");
                words.push(format!("i32::from(a{place})"));
            }
            Shown::Array(element) => {
                let _ = write!(head, ", mut a{place}: impl c::Elements<{element}>");
                let _ = writeln!(
                    passed,
                    "        let p{place} = self.unit.pass::<{element}>({number}, &a{place})?;"
                );
                words.push(format!("p{place}"));
                let _ = writeln!(
                    back,
                    "        self.unit.give_back::<{element}>(p{place}, &mut a{place});"
                );
            }
            Shown::Object => {
                let _ = write!(head, ", a{place}: bool");
                words.push(format!("if a{place} {{ c::THIS }} else {{ 0 }}"));
            }
        }
    }
    let result = descriptor.result();
    let (result, value) = match result.as_ref().map(Shown::of) {
        None => ("()".to_owned(), "Ok(())".to_owned()),
        Some(Shown::Scalar("bool") | Shown::Object) => {
            ("bool".to_owned(), "Ok(value != 0)".to_owned())
        }
        Some(Shown::Scalar("i32")) => ("i32".to_owned(), "Ok(value)".to_owned()),
        // A result has been narrowed to its type, so the cast is lossless.
        Some(Shown::Scalar(scalar)) => (scalar.to_owned(), format!("Ok(value as {scalar})")),
        Some(Shown::Array(element)) => (
            format!("c::Array<{element}>"),
            format!("self.unit.returned::<{element}>({number}, value)"),
        ),
    };
    let _ = write!(
        out,
        "\n    /// Calls `{java}`.\n    ///\n    /// # Errors\n    ///\n    \
         /// Returns the trap in which the call ends.\n    \
         pub fn {rust}(&mut self{head}) -> Result<{result}, k::Trap> {{\n{passed}        \
         let value = self.unit.{call}::<Code>({number}, &[{}], &mut self.natives);\n{back}        \
         let value = value?.unwrap_or(0);\n        {value}\n    }}\n",
        words.join(", ")
    );
}
