//! Entry points of the verifier: run all checks on a class file.

use jive_core::{ClassFile, Code, Method, NativeDecl, Verified};

use crate::class::check_class;
use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::flow::{Flow, FlowMemory};
use crate::marks::{CodeMap, CodeMarks};
use crate::method::MethodCode;
use crate::observer::Observer;
use crate::policy::{Policy, applet_members};
use crate::resolve::Members;
use crate::signature::Signatures;
use crate::structure::check_structure;
use crate::work::WorkArea;

/// Verifies a class against a natives table.
///
/// # Errors
///
/// The first error, in the order documented at [`VerifyError`].
pub fn verify<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'static [NativeDecl],
    work: WorkArea<'_>,
) -> Result<Verified<'a>, VerifyError> {
    verify_with(class, policy, natives, work, &mut ())
}

/// Verifies a class like [`verify`], and reports the inferred types to an observer.
///
/// # Errors
///
/// The first error, in the order documented at [`VerifyError`].
pub fn verify_with<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'static [NativeDecl],
    work: WorkArea<'_>,
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    let mut signatures = Signatures::new(work.signatures);
    check_class(&class, natives, &mut signatures)?;
    let applet = match policy {
        Policy::Applet { entries } => Some(applet_members(&class, entries)?),
        Policy::ClassOnly => None,
    };
    let mut members =
        Members::new(class, natives, signatures, work.constants).ok_or(VerifyError {
            at: Location::Class,
            kind: VerifyErrorKind::WorkArea,
        })?;
    let mut memory = CodeMemory {
        marks: work.marks,
        flow: FlowMemory {
            leaders: work.leaders,
            queue: work.queue,
            states: work.states,
        },
    };
    for declaration in class.methods() {
        // Natives have no code.
        if let Some(code) = declaration.code() {
            verify_code(declaration, code, &mut members, &mut memory, observer)?;
        }
    }
    Ok(Verified::vouch(class, natives, applet))
}

/// The part of the work area that is reused for each method.
struct CodeMemory<'w> {
    marks: &'w mut [CodeMarks],
    flow: FlowMemory<'w>,
}

/// Verifies the code of a method: first its static constraints, then its data flow.
fn verify_code<'a, O: Observer>(
    declaration: Method<'a>,
    code: Code<'a>,
    members: &mut Members<'a, '_>,
    memory: &mut CodeMemory<'_>,
    observer: &mut O,
) -> Result<(), VerifyError> {
    let too_small = VerifyError {
        at: Location::Method(declaration.id),
        kind: VerifyErrorKind::WorkArea,
    };
    let method = MethodCode {
        declaration,
        code,
        signature: members.signatures().of(declaration.id).ok_or(too_small)?,
    };
    let mut map = CodeMap::new(memory.marks, code.bytes.len()).ok_or(too_small)?;
    let memory = memory.flow.reborrow();
    match check_structure(&method, members, &mut map) {
        Ok(instruction_count) => Flow::new(&method, members, &mut map, memory, instruction_count)
            .ok_or(too_small)?
            .run(observer),
        Err(error) => {
            if let (true, Location::Code { pc, .. }) = (O::WATCHES, error.at)
                && let Some(mut flow) =
                    Flow::new(&method, members, &mut map, memory, u32::from(pc.0))
            {
                flow.run_below(pc, observer);
            }
            Err(error)
        }
    }
}
