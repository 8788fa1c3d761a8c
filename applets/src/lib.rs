//! The applets that JIVE ships.
