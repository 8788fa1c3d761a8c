//! The check of a class against a certificate: one walk over the code, with one type state and without a worklist.

use jive_core::{
    AppletMembers, ClassFile, Code, Method, NativeDecl, Pc, Verified, raw_instructions,
};

use crate::certificate::{Certificate, Section, is_plausible};
use crate::class::check_class;
use crate::error::{CheckError, Location, Refused};
use crate::faults::Unreported;
use crate::flow::enter;
use crate::method::MethodCode;
use crate::policy::{Policy, applet_members};
use crate::resolve::{Members, Resolved};
use crate::signature::Signatures;
use crate::state::{PLACES, State};
use crate::step::step;
use crate::structure::{Marks, StructureCheck, check_frame};

/// Memory lent to a check. Each part has at least the length that [`work_size`](crate::work_size) returns for it.
#[derive(Debug)]
pub struct CheckArea<'w> {
    /// Resolutions of the constants.
    pub constants: &'w mut [Resolved],
    /// Signatures of the methods.
    pub signatures: &'w mut [u8],
    /// The type state of one frame.
    pub frame: &'w mut [u8; FRAME_BYTES],
}

/// Length of the type state of the largest frame, in bytes.
pub const FRAME_BYTES: usize = PLACES;

/// Checks a class against a certificate, instead of verifying it.
///
/// The check trusts neither: it accepts only classes that [`verify`](crate::verify) accepts, whatever the certificate
/// says, but for the verifier's limit on its own steps. It accepts every class with the certificate that belongs to it. Its
/// time is linear in the length of the code, but for a bisection at each branch.
///
/// # Errors
///
/// Returns the first place at which the class breaks a rule, or the certificate does not fit. A declaration that breaks a
/// rule is reported at the class as a whole.
pub fn check<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    certificate: &[u8],
    area: CheckArea<'_>,
) -> Result<Verified<'a>, CheckError> {
    let mut at = Location::Class;
    let applet = check_all(
        class,
        policy,
        natives,
        Certificate(certificate),
        area,
        &mut at,
    );
    match applet {
        Ok(applet) => Ok(Verified::vouch(class, natives, applet)),
        Err(Refused) => Err(CheckError { at }),
    }
}

/// Checks a class, and sets `at` to whatever is checked next.
fn check_all<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    mut certificate: Certificate<'_>,
    area: CheckArea<'_>,
    at: &mut Location,
) -> Result<Option<AppletMembers>, Refused> {
    let mut signatures = Signatures::new(area.signatures);
    check_class(&class, natives, &mut signatures, &mut Unreported)?;
    let applet = applet_members(&class, policy, &mut Unreported)?;
    let constants = Resolved::none_of(&class, area.constants).ok_or(Refused)?;
    let mut members = Members::new(class, natives, signatures, constants);
    for declaration in class.methods() {
        // Natives have no code.
        if let Some(code) = declaration.code() {
            *at = Location::Method(declaration.id);
            let section = certificate.section(&code).ok_or(Refused)?;
            check_code(declaration, code, &mut members, section, area.frame, at)?;
        }
    }
    *at = Location::Class;
    certificate.0.is_empty().then_some(applet).ok_or(Refused)
}

/// Nothing is marked: each branch target must be an entry of the certificate, and the walk passes every entry.
struct Unmarked;

impl Marks for Unmarked {
    type Kind = Refused;

    const MARKS: bool = false;

    fn mark_start(&mut self, _: Pc) {}

    fn mark_leader(&mut self, _: Pc) {}
}

/// Checks the code of a method: the static constraints and the types of each instruction, in order of pc.
fn check_code<'a>(
    declaration: Method<'a>,
    code: Code<'a>,
    members: &mut Members<'a, '_>,
    section: Section<'_>,
    frame: &mut [u8; FRAME_BYTES],
    at: &mut Location,
) -> Result<(), Refused> {
    let signature = members.signatures().of(declaration.id).ok_or(Refused)?;
    let method = MethodCode {
        declaration,
        code,
        signature,
    };
    check_frame::<Refused>(&method)?;
    // No code that an exception handler covers is in the subset.
    if code.exceptions().next().is_some() {
        return Err(Refused);
    }
    let mut state = State::new(frame, method.shape()).ok_or(Refused)?;
    enter(&mut state, &method, members);
    // Whether a path reaches the next instruction, with the types of `state`.
    let mut is_live = true;
    let mut entries = section;
    let mut insns = raw_instructions(method.bytes());
    for insn in &mut insns {
        let pc = insn.pc;
        *at = Location::Code {
            method: declaration.id,
            pc,
        };
        let mut structure = StructureCheck {
            method: &method,
            members,
            map: &mut Unmarked,
            has_stray_target: false,
            first_handler: None,
        };
        structure.instruction(insn)?;
        if let Some(entry) = entries.take_up_to(pc) {
            let certified = entry.state;
            // An entry below the pc is inside of an instruction, or out of order.
            let mut fits = entry.pc == pc;
            if is_live || State::is_reached(certified) {
                fits &= is_plausible(certified, method.shape());
                fits &= !is_live || state.fits(certified);
                state.load(certified);
                is_live = true;
            }
            if !fits {
                return Err(Refused);
            }
        }
        if is_live {
            step::<Refused>(&mut state, insn, &method, members)?;
        }
        // The types after the instruction must be among those that the certificate has for each of its targets. A target
        // that only unreachable code has needs an entry too.
        let are_certified = insn.targets().all(|target| {
            let entry = u16::try_from(target).ok().and_then(|pc| section.at(Pc(pc)));
            entry.is_some_and(|entry| !is_live || state.fits(entry.state))
        });
        if !are_certified {
            return Err(Refused);
        }
        is_live &= insn.falls_through();
    }
    // The last path must not go on behind the code, whose last instruction is whole; and no entry is left.
    if is_live || insns.stopped_at().is_some() || !entries.is_empty() {
        return Err(Refused);
    }
    Ok(())
}
