//! The table of `jive run --sram`: the holders of each NIC's memory, and their bytes.

use std::fmt;

use jive_embed::text::printable;
use nic_core::id::{EndpointId, NicId};
use nic_runtime::run::{SramHolder, SramShare};
use nic_runtime::spec::Scenario;

/// Width of a number of bytes: ten digits.
const BYTES_WIDTH: usize = 10;

/// The holders of SRAM, in the order of the NICs.
pub(super) struct SramTable<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) holders: Vec<SramHolder>,
}

impl fmt::Display for SramTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nic, spec) in (0u32..).map(NicId).zip(&self.scenario.nics) {
            writeln!(f, "NIC {}", printable(&spec.name))?;
            let mut total = 0;
            for holder in self.holders.iter().filter(|holder| holder.nic == nic) {
                let words = self.words(holder.share);
                writeln!(f, "{:>BYTES_WIDTH$}  {words}", holder.bytes)?;
                total += holder.bytes;
            }
            let fits = if total > u64::from(spec.sram) {
                "does not fit in"
            } else {
                "of"
            };
            writeln!(f, "{total:>BYTES_WIDTH$}  {fits} {} bytes", spec.sram)?;
        }
        Ok(())
    }
}

impl SramTable<'_> {
    fn words(&self, share: SramShare) -> String {
        match share {
            SramShare::Staging => "staging slots".to_owned(),
            SramShare::Stack => "call stack".to_owned(),
            SramShare::Program(class) => {
                let origin = &self.scenario.classes[class].origin;
                format!("program {}", printable(origin))
            }
            SramShare::Applet(id) => format!("heap, RxBuf and fields of {}", self.name(id)),
            SramShare::Queues(id) => format!("queues and channels of {}", self.name(id)),
        }
    }

    fn name(&self, id: EndpointId) -> String {
        printable(&self.scenario.endpoints[id.0 as usize].name).to_string()
    }
}
