//! What a process asks for: at its pages, and of the operating system.

use nic_core::id::EndpointId;
use nic_core::time::SimDuration;

use super::process::{place, tell_window};
use super::state::HasLmmc;
use super::{loads, ports, stores, waiting};
use crate::host::{Asked, Asking, WindowAsked, WindowNews};
use crate::sim::Parts;

/// Does what a process asks for at a page.
pub(super) fn at_page(
    sim: &mut Parts<'_, impl HasLmmc>,
    id: EndpointId,
    asked: WindowAsked,
) -> Asking {
    if let Some(page) = page_of(&asked)
        && place(sim, id).is_some_and(|place| place.expects(page))
    {
        // The scenario's port is being set up.
        return Asking::Later(Asked::Page(asked));
    }
    match asked {
        WindowAsked::Store {
            ticket,
            window,
            offset,
            bytes,
        } => stores::store(sim, id, (ticket, window, offset), bytes),
        WindowAsked::Leave {
            ticket,
            window,
            offset,
            bytes,
        } => stores::leave(sim, id, (ticket, window, offset), bytes),
        WindowAsked::Load { ticket, range } => loads::load(sim, id, ticket, range),
        WindowAsked::WaitWord {
            ticket,
            window,
            offset,
            was,
            within,
        } => waiting::wait_word(sim, id, (ticket, window, offset), (was, within)),
        WindowAsked::Read { ticket, .. } | WindowAsked::Watch { ticket, .. } => {
            // Ports are one-way, and nobody but a process looks at its page.
            tell_window(sim, id, WindowNews::NotPossible { ticket });
            Asking::Busy(SimDuration::ZERO)
        }
        WindowAsked::Event { .. } => {
            tell_window(sim, id, WindowNews::NoEvent);
            Asking::Busy(SimDuration::ZERO)
        }
    }
}

/// Does what a process asks the operating system for.
pub(super) fn asked(sim: &mut Parts<'_, impl HasLmmc>, id: EndpointId, asked: Asked) -> Asking {
    match asked {
        Asked::Port(asked) => ports::asked(sim, id, asked),
        Asked::Page(asked) => at_page(sim, id, asked),
        Asked::Connect(..)
        | Asked::Accept(..)
        | Asked::Refuse
        | Asked::Control(..)
        | Asked::Register(..)
        | Asked::Area(_)
        | Asked::Deregister(..)
        | Asked::Send(..)
        | Asked::Receive(..)
        | Asked::Take(_) => Asking::Ignored,
    }
}

/// Returns the page that a request names, if it needs a page.
fn page_of(asked: &WindowAsked) -> Option<i32> {
    match asked {
        WindowAsked::Store { window, .. }
        | WindowAsked::Leave { window, .. }
        | WindowAsked::WaitWord { window, .. } => Some(*window),
        WindowAsked::Load { range, .. } => Some(range.0),
        WindowAsked::Read { .. } | WindowAsked::Watch { .. } | WindowAsked::Event { .. } => None,
    }
}
