//! The check of a class against a certificate: one walk over the code, with one type state and without a worklist.

use jive_core::{ClassFile, Code, Method, NativeDecl, Pc, RawInsn, Verified, raw_instructions};

use crate::certificate::{Certificate, Section, is_plausible};
use crate::class::check_class;
use crate::error::{Location, VerifyError, VerifyErrorKind};
use crate::faults::Faults;
use crate::flow::enter;
use crate::method::MethodCode;
use crate::policy::{Policy, applet_members};
use crate::resolve::{Members, Resolved};
use crate::signature::Signatures;
use crate::state::{PLACES, State};
use crate::step::step;
use crate::structure::{Marks, StructureCheck, check_frame, undecodable};

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

/// Why a class and a certificate are refused.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The class breaks a rule. With another certificate it would break the rule too, or the certificate has wrong types.
    #[error(transparent)]
    Class(#[from] VerifyError),
    /// The certificate does not fit the class.
    #[error("expected a certificate that fits the class, found one that does not at {at}")]
    Certificate {
        /// Where the two differ.
        at: Location,
    },
}

/// Checks a class against a certificate, instead of verifying it.
///
/// The check trusts neither: it accepts only classes that [`verify`](crate::verify) accepts, whatever the certificate
/// says, but for the verifier's limit on its own steps. It accepts every class with the certificate that belongs to it. Its
/// time is linear in the length of the code, but for a bisection at each branch.
///
/// # Errors
///
/// Returns the first rule that the class breaks, or the first place at which the certificate does not fit.
pub fn check<'a>(
    class: ClassFile<'a>,
    policy: Policy,
    natives: &'a [NativeDecl<'a>],
    certificate: &[u8],
    area: CheckArea<'_>,
) -> Result<Verified<'a>, CheckError> {
    let observer = &mut ();
    let faults = &mut Faults::new(observer);
    let mut signatures = Signatures::new(area.signatures);
    check_class(&class, natives, &mut signatures, faults)?;
    let applet = applet_members(&class, policy, faults)?;
    let whole = CheckError::Certificate {
        at: Location::Class,
    };
    let mut members =
        Members::new(class, natives, signatures, area.constants).ok_or(VerifyError {
            at: Location::Class,
            kind: VerifyErrorKind::WorkArea,
        })?;
    let mut certificate = Certificate(certificate);
    for declaration in class.methods() {
        // Natives have no code.
        if let Some(code) = declaration.code() {
            let section = certificate.section(&code).ok_or(whole)?;
            check_code(declaration, code, &mut members, section, area.frame)?;
        }
    }
    if !certificate.0.is_empty() {
        return Err(whole);
    }
    Ok(Verified::vouch(class, natives, applet))
}

/// The targets of the instructions that were walked, each of which must be in the certificate.
struct Targets<'c> {
    section: Section<'c>,
    are_listed: bool,
}

impl Marks for Targets<'_> {
    fn mark_start(&mut self, _: Pc) {}

    fn mark_leader(&mut self, pc: Pc) {
        self.are_listed &= self.section.at(pc).is_some();
    }
}

/// Checks the code of a method: the static constraints and the types of each instruction, in order of pc.
fn check_code<'a>(
    declaration: Method<'a>,
    code: Code<'a>,
    members: &mut Members<'a, '_>,
    section: Section<'_>,
    frame: &mut [u8; FRAME_BYTES],
) -> Result<(), CheckError> {
    let too_small = VerifyError {
        at: Location::Method(declaration.id),
        kind: VerifyErrorKind::WorkArea,
    };
    let signature = members.signatures().of(declaration.id).ok_or(too_small)?;
    let method = MethodCode {
        declaration,
        code,
        signature,
    };
    check_frame(&method)?;
    let misfit = |pc| CheckError::Certificate {
        at: Location::Code {
            method: method.id(),
            pc,
        },
    };
    let first_handler = code.exceptions().map(|row| row.start).min();
    let mut targets = Targets {
        section,
        are_listed: true,
    };
    let mut state = State::new(frame, method.shape()).ok_or(too_small)?;
    enter(&mut state, &method, members);
    // Whether a path reaches the next instruction, with the types of `state`.
    let mut is_live = true;
    let mut next = 0;
    let mut insns = raw_instructions(method.bytes());
    for insn in &mut insns {
        let pc = insn.pc;
        let wrong = |kind| method.error(pc, kind);
        let mut structure = StructureCheck {
            method: &method,
            members,
            map: &mut targets,
            has_stray_target: false,
            first_handler,
        };
        structure.instruction(insn).map_err(wrong)?;
        if structure.has_stray_target || !targets.are_listed {
            return Err(misfit(pc));
        }
        if let Some(entry) = section.entry(next).filter(|entry| entry.pc <= pc) {
            // An entry below the pc is inside of an instruction, or out of order.
            if entry.pc != pc {
                return Err(misfit(pc));
            }
            next = next.saturating_add(1);
            match entry.state {
                Some(certified) => {
                    let fits = is_plausible(certified, method.shape())
                        && (!is_live || state.fits(certified));
                    if !fits {
                        return Err(misfit(pc));
                    }
                    state.load(certified);
                    is_live = true;
                }
                None if is_live => return Err(misfit(pc)),
                None => {}
            }
        }
        if !is_live {
            continue;
        }
        step(&mut state, insn, &method, members).map_err(wrong)?;
        if insn.layout().has_targets() && !goes_where_certified(&state, insn, &section) {
            return Err(misfit(pc));
        }
        is_live = insn.falls_through();
    }
    if let Some(pc) = insns.stopped_at() {
        return Err(method.error(pc, undecodable(method.bytes(), pc)).into());
    }
    let end = Pc(u16::try_from(method.bytes().len()).unwrap_or(u16::MAX));
    if is_live {
        return Err(method.error(end, VerifyErrorKind::FallsOffEnd).into());
    }
    if section.entry(next).is_some() {
        return Err(misfit(end));
    }
    if first_handler.is_some() {
        return Err(CheckError::Class(VerifyError {
            at: Location::Method(method.id()),
            kind: VerifyErrorKind::ExceptionHandler,
        }));
    }
    Ok(())
}

/// Returns whether the types after an instruction are among those that the certificate has for each of its targets.
fn goes_where_certified(state: &State<'_>, insn: RawInsn<'_>, section: &Section<'_>) -> bool {
    insn.targets().all(|target| {
        let entry = u16::try_from(target).ok().and_then(|pc| section.at(Pc(pc)));
        let certified = entry.and_then(|entry| entry.state);
        certified.is_some_and(|certified| state.fits(certified))
    })
}
