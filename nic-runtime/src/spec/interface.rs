//! The interfaces that a NIC offers: one row for each.

/// The rows of all interfaces: the module and the type of the engine, and the name in a scenario. Passes the rows to a
/// macro, after the tokens that are given. The first interface is the default.
macro_rules! interfaces {
    ($then:ident $($given:tt)*) => {
        $then! {
            { $($given)* }
            /// A U-Net endpoint: queues of transmit, receive and free descriptors, and channels.
            unet: Unet = "unet";
            /// An EMP endpoint: messages with tags, posted receives, and NICs that repeat lost frames.
            emp: Emp = "emp";
            /// A VI: an endpoint with one connection, whose user posts descriptors for each message.
            via: Via = "via";
            /// The place of a process at an interface of LMMC: no queues, and pages of ports that the process maps.
            lmmc: Lmmc = "lmmc";
        }
    };
}
pub(crate) use interfaces;

/// Declares the kinds of interfaces.
macro_rules! kinds {
    ({} $($(#[$doc:meta])* $module:ident: $interface:ident = $name:literal;)*) => {
        /// The interface of an endpoint.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum InterfaceKind {
            $($(#[$doc])* $interface,)*
        }

        impl InterfaceKind {
            /// Every interface with its name in a scenario. The first interface is the default.
            pub const ALL: [(&'static str, InterfaceKind); [$($name),*].len()] =
                [$(($name, InterfaceKind::$interface)),*];

            /// Returns the interface's name in a scenario.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(InterfaceKind::$interface => $name,)*
                }
            }
        }
    };
}

interfaces!(kinds);
