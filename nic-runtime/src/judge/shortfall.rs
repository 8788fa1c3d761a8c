//! Describes why an expectation is not met.

use std::fmt::{self, Write as _};

use nic_core::event::fields::Escaped;
use nic_core::id::{ChannelId, EndpointId};

use crate::spec::Scenario;

/// A description of what was expected and what was found instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    /// The description in one sentence.
    pub(super) title: String,
    /// For an expected message, the bytes that differ.
    pub(super) note: Option<String>,
}

impl Shortfall {
    /// Makes a shortfall that is described by one sentence.
    pub(super) fn of(title: String) -> Shortfall {
        Shortfall { title, note: None }
    }
}

/// Formats the endpoint of an expectation.
pub(super) struct At<'s>(pub(super) &'s Scenario, pub(super) Option<EndpointId>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let At(scenario, endpoint) = self;
        match endpoint {
            Some(id) => {
                let name = &scenario.endpoints[*id].name;
                write!(f, "`{}`", Escaped(name))
            }
            None => f.write_str("all endpoints"),
        }
    }
}

/// Formats the channel of an expectation, if it has one.
pub(super) struct On(pub(super) Option<ChannelId>);

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(channel) => write!(f, " on channel {}", channel.0),
            None => Ok(()),
        }
    }
}

/// Formats a number with its noun.
pub(super) struct Count(pub(super) u64, pub(super) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(count, noun) = self;
        write!(f, "{count} {noun}")?;
        match count {
            1 => Ok(()),
            _ => f.write_char('s'),
        }
    }
}
