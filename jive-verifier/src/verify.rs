//! Entry points of the verifier: run all checks on a class file.

use jive_core::{ClassFile, Code, Method, NativeDecl, Verified};

use crate::class::check_class;
use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::faults::{Faults, Report};
use crate::flow::{Flow, FlowMemory};
use crate::marks::{CodeMap, CodeMarks};
use crate::method::MethodCode;
use crate::observer::Observer;
use crate::policy::{Policy, applet_members};
use crate::resolve::{Members, Resolved};
use crate::signature::Signatures;
use crate::structure::{check_behind, check_structure};
use crate::work::WorkArea;

/// Verifies a class against a natives table.
///
/// # Errors
///
/// Returns the first error of the class, in the order documented at [`VerifyError`].
pub fn verify<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    work: WorkArea<'_>,
) -> Result<Verified<'a>, VerifyError> {
    verify_with(class, policy, natives, work, &mut ())
}

/// Verifies a class like [`verify`], and reports the inferred types to an observer.
///
/// An observer with [`COLLECTS`](Observer::COLLECTS) receives every error. Even if the observer collects, the returned
/// error is the first one.
///
/// # Errors
///
/// Returns the first error of the class, in the order documented at [`VerifyError`].
pub fn verify_with<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    work: WorkArea<'_>,
    observer: &mut impl Observer,
) -> Result<Verified<'a>, VerifyError> {
    let faults = &mut Faults::new(observer);
    let mut signatures = Signatures::new(work.signatures);
    check_class(&class, natives, &mut signatures, faults)?;
    let applet = applet_members(&class, policy, faults)?;
    let Some(constants) = Resolved::none_of(&class, work.constants) else {
        return Err(faults.last(VerifyError {
            at: Location::Class,
            kind: VerifyErrorKind::WorkArea,
        }));
    };
    let mut members = Members::new(class, natives, signatures, constants);
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
        if let Some(code) = declaration.code()
            && !faults.skips(declaration.id)
        {
            verify_code(declaration, code, &mut members, &mut memory, faults)?;
        }
    }
    match faults.first() {
        None => Ok(Verified::vouch(class, natives, applet)),
        Some(first) => Err(first),
    }
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
    faults: &mut Faults<'_, O>,
) -> Result<(), VerifyError> {
    let too_small = VerifyError {
        at: Location::Method(declaration.id),
        kind: VerifyErrorKind::WorkArea,
    };
    let Some(signature) = members.signatures().of(declaration.id) else {
        return faults.note(too_small);
    };
    let method = MethodCode {
        declaration,
        code,
        signature,
    };
    let Some(mut map) = CodeMap::new(memory.marks, code.bytes.len()) else {
        return faults.note(too_small);
    };
    let memory = memory.flow.reborrow();
    match check_structure(&method, members, &mut map) {
        Ok(instruction_count) => {
            let flow = Flow::new(&method, members, &mut map, memory, instruction_count);
            let outcome = match flow {
                Some(mut flow) => flow.run(faults.observer),
                None => Err(too_small),
            };
            outcome.or_else(|error| faults.note(error))
        }
        Err(error) => {
            if let (true, Location::Code { pc, .. }) = (O::WATCHES, error.at) {
                map.drop_leaders_behind(pc);
                let flow = Flow::new(&method, members, &mut map, memory, u32::from(pc.0));
                if let Some(mut flow) = flow {
                    flow.run_below(pc, faults.observer);
                }
            }
            faults.note(error)?;
            if let Location::Code { pc, .. } = error.at {
                check_behind(pc, &method, members, &mut map, |error| faults.note(error))?;
            }
            Ok(())
        }
    }
}
