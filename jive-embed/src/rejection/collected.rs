//! Collects the faults of a class that deserve a diagnosis: at most one for each source line, and none that only follows
//! from another fault.

use std::collections::BTreeSet;

use jive_core::{ClassFile, CpIndex, FieldId, MethodId, NativeDecl, Pc};
use jive_verifier::{
    Location, Observer, Policy, TypeState, TypeUse, VerifyError, VerifyErrorKind as Kind,
};

use crate::analysis::LineTable;
use crate::load::verify_class;

/// Maximum number of faults of a class that are kept. Few faults are kept, because users repair the first few, and a
/// class may have 65,535 in each of 64 methods.
pub(super) const KEPT_MAX: usize = 32;

/// Maximum number of further lines that are kept for one fault.
const LINES_MAX: usize = 8;

/// Superclasses of enums and records. The compiler generates methods for enums and records, and those methods break
/// rules too.
const COMPILED_SUPERCLASSES: [&str; 2] = ["java/lang/Enum", "java/lang/Record"];

/// The field that the compiler adds to a class that uses `assert`.
const ASSERTIONS_DISABLED: &str = "$assertionsDisabled";

/// A fault, and the other lines of the method that break the same rule in the same way.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) error: VerifyError,
    pub(super) also_lines: Vec<u16>,
}

/// The faults of a class, in the order in which the verifier reports them.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    pub(super) faults: Vec<Fault>,
    /// Number of faults beyond the first [`KEPT_MAX`], which are not kept.
    pub(super) omitted: usize,
}

/// Collects the faults of a class: the verifier continues after each fault up to the end of the class.
pub(super) fn collect(
    class: &ClassFile<'_>,
    policy: Policy,
    natives: &[NativeDecl<'_>],
) -> Collected {
    let mut collector = Collector {
        class,
        collected: Collected::default(),
        superclass: Superclass::Object,
        current: None,
        fields: BTreeSet::new(),
        methods: BTreeSet::new(),
    };
    // The verdict is not needed, because the collector has received every fault, and an accepted class has none.
    let _verdict = verify_class(*class, policy, natives, &mut collector);
    collector.collected
}

struct Collector<'c, 'a> {
    class: &'c ClassFile<'a>,
    collected: Collected,
    superclass: Superclass,
    /// The method whose code contains the latest fault.
    current: Option<Current>,
    /// The fields for which a fault in their declaration is reported.
    fields: BTreeSet<FieldId>,
    /// The methods for which a fault in their declaration is reported.
    methods: BTreeSet<MethodId>,
}

/// The kind of superclass.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Superclass {
    Object,
    /// A superclass that the programmer named.
    Named,
    /// `Enum` or `Record`.
    Compiled,
}

/// A method and the faults reported so far in its code.
struct Current {
    method: MethodId,
    lines: LineTable,
    /// The lines of the method for which a fault is reported. The line `None` stands for the whole method if the method
    /// has no line numbers.
    seen: BTreeSet<Option<u16>>,
    /// Index of the method's first fault in the list of faults kept.
    first: usize,
    has_monitor: bool,
    has_handler: bool,
}

impl Observer for Collector<'_, '_> {
    const WATCHES: bool = false;
    const COLLECTS: bool = true;

    fn reached(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn failed(&mut self, _: MethodId, _: Pc, _: TypeState<'_>) {}

    fn rejected(&mut self, error: VerifyError) {
        if self.superclass == Superclass::Compiled {
            return;
        }
        let is_told = match error.at {
            Location::Class => {
                if error.kind == Kind::Superclass {
                    self.superclass = superclass(self.class);
                }
                true
            }
            Location::Field(field) => self.fields.insert(field),
            Location::Method(method) => self.methods.insert(method),
            Location::Code { method, pc } => self.is_told_of_code(method, pc, error),
        };
        if !is_told {
            return;
        }
        if self.collected.faults.len() < KEPT_MAX {
            self.collected.faults.push(Fault {
                error,
                also_lines: Vec::new(),
            });
        } else {
            self.collected.omitted += 1;
        }
    }
}

impl Collector<'_, '_> {
    /// Returns whether a fault in a method's code must be reported: it does not follow from another fault, and was not
    /// reported.
    fn is_told_of_code(&mut self, method: MethodId, pc: Pc, error: VerifyError) -> bool {
        if self.is_call_of_superclass(error.kind) {
            return false;
        }
        let is_of_field = self.is_of_field(error.kind);
        let first = self.collected.faults.len();
        let code = self.class.method(method).and_then(|method| method.code());
        let current = match &mut self.current {
            Some(current) if current.method == method => current,
            other => other.insert(Current {
                method,
                lines: code.as_ref().map(LineTable::of).unwrap_or_default(),
                seen: BTreeSet::new(),
                first,
                has_monitor: false,
                has_handler: false,
            }),
        };
        // The compiler turns `synchronized` and `finally` into exception handlers that throw the exception again.
        let follows = match error.kind {
            Kind::ExceptionHandler => current.has_monitor,
            Kind::Throw { .. } => current.has_monitor || current.has_handler,
            _ => false,
        };
        current.has_monitor |= matches!(error.kind, Kind::Monitor { .. });
        current.has_handler |= error.kind == Kind::ExceptionHandler;
        let line = current.lines.line(pc);
        // Each instruction of a `long` expression is a fault, so the field's declaration is reported instead of them.
        if follows || !current.seen.insert(line) || is_of_field {
            return false;
        }
        let own = self.collected.faults.get_mut(current.first..);
        let mut own = own.unwrap_or_default().iter_mut();
        let alike = own.find(|fault| is_alike(fault.error.kind, error.kind));
        let (Some(alike), Some(line)) = (alike, line) else {
            return true;
        };
        if alike.also_lines.len() < LINES_MAX {
            alike.also_lines.push(line);
        }
        false
    }

    /// Returns whether a fault is the call of a forbidden superclass's constructor.
    fn is_call_of_superclass(&self, kind: Kind) -> bool {
        let Kind::ForeignMethod { index } = kind else {
            return false;
        };
        let member = self.class.pool().member(index);
        let above = self.class.super_class();
        let above = above.and_then(|index| self.class.pool().class_name(index).ok());
        self.superclass == Superclass::Named
            && member.is_ok_and(|member| member.name == "<init>" && Some(member.class) == above)
    }

    /// Returns whether an instruction is a fault only because of a field: the field's type is forbidden, or `assert` uses
    /// the field.
    fn is_of_field(&self, kind: Kind) -> bool {
        match kind {
            Kind::Char { found }
            | Kind::Long { found }
            | Kind::Float { found }
            | Kind::Double { found }
            | Kind::String { found }
            | Kind::ForeignType { found }
            | Kind::ReferenceArray { found } => found == TypeUse::Field,
            Kind::ClassConstant { .. } => {
                let mut fields = self.class.fields();
                fields.any(|field| field.name == ASSERTIONS_DISABLED)
            }
            _ => false,
        }
    }
}

fn superclass(class: &ClassFile<'_>) -> Superclass {
    let above = class.super_class();
    let name = above.and_then(|index| class.pool().class_name(index).ok());
    let is_compiled = |name| COMPILED_SUPERCLASSES.iter().any(|known| name == *known);
    if name.is_some_and(is_compiled) {
        Superclass::Compiled
    } else {
        Superclass::Named
    }
}

/// Returns whether two faults of one method break the same rule and, if the rule is about members, name the same
/// member.
fn is_alike(one: Kind, other: Kind) -> bool {
    one.code() == other.code() && named(one) == named(other)
}

/// Returns the constant pool index of the member that a fault is about.
fn named(kind: Kind) -> Option<CpIndex> {
    match kind {
        Kind::ForeignMethod { index }
        | Kind::ForeignField { index }
        | Kind::UnresolvedMethod { index, .. }
        | Kind::UnresolvedField { index, .. }
        | Kind::UnresolvedNative { index, .. }
        | Kind::FinalStore { index } => Some(index),
        _ => None,
    }
}
