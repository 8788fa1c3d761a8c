//! Renders a report as Markdown.

use std::fmt::{self, Display, Formatter};

use crate::applets::AppletSpeed;
use crate::figures::{Loading, Packets};
use crate::pace::Paced;
use crate::promises::{Bound, Promise};
use crate::report::Report;
use crate::table::{Cell, Table};

const PROMISES: &str = "\
| promise | measured | as promised for | must | holds | goal | holds |
|---|---:|---:|---:|---|---:|---|";

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let setting = &self.setting;
        writeln!(
            f,
            "Machine: {}, {}, load average {}. CPU time of the thread, medians over rounds.",
            setting.machine, setting.date, setting.load_average
        )?;
        if let Some(compiler) = &setting.wasm3_compiler {
            write!(f, "wasm3 was compiled by {compiler}.")?;
            let is_clang = compiler.contains("clang");
            let note =
                " clang makes it faster, so ratios to it are lower here than they should be.";
            writeln!(f, "{}", if is_clang { "" } else { note })?;
        }
        if let Some(kernels) = &self.kernels {
            writeln!(
                f,
                "\n**Public kernels**: ns for each call (times native code: the median over the rounds; the least to the greatest)\n\n{kernels}"
            )?;
        }
        if let Some(validation) = &self.validation {
            writeln!(
                f,
                "\n**Validation programs**: the same figures\n\n{validation}"
            )?;
        }
        if let Some(held_out) = &self.held_out {
            writeln!(f, "\n**Held-out programs**: the same figures\n\n{held_out}")?;
        }
        if let Some(loading) = &self.loading {
            writeln!(f, "\n**Loading** (parse, verify, link)\n\n{loading}")?;
        }
        if let Some(packets) = &self.packets {
            writeln!(
                f,
                "\n**Packets** of 64 bytes through doTx, wire and doRx of RawUnet, received and read, untraced\n\n\
                 {packets}"
            )?;
        }
        if !self.applets.is_empty() {
            writeln!(
                f,
                "\n**Applets**: the packets of each built-in scenario, untraced\n\n\
                 | applet | packets | thousand packets/s |\n|---|---:|---:|"
            )?;
        }
        for AppletSpeed { name, packets, ns } in &self.applets {
            writeln!(f, "| {name} | {packets} | {} |", figures(1e6 / ns))?;
        }
        if !self.sizes.is_empty() {
            writeln!(f, "\n**Code and constants** on a Cortex-M4\n")?;
        }
        for size in &self.sizes {
            writeln!(f, "- {}: {} bytes", size.what, size.bytes)?;
        }
        if !self.promises.is_empty() {
            writeln!(f, "\n**Promises**\n\n{PROMISES}")?;
            self.promises
                .iter()
                .try_for_each(|promise| writeln!(f, "{promise}"))?;
        }
        if !self.skipped.is_empty() {
            writeln!(f)?;
        }
        self.skipped
            .iter()
            .try_for_each(|what| writeln!(f, "SKIPPED: {what}"))
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| |")?;
        self.peers
            .iter()
            .try_for_each(|peer| write!(f, " {peer} |"))?;
        write!(f, "\n|---|")?;
        self.peers.iter().try_for_each(|_| write!(f, "---:|"))?;
        writeln!(f)?;
        for row in &self.rows {
            write!(f, "| {} |", row.name)?;
            for cell in &row.cells {
                match cell {
                    Some(cell) => write!(f, " {cell} |")?,
                    None => write!(f, " - |")?,
                }
            }
            writeln!(f)?;
        }
        write!(f, "| **geometric mean** |")?;
        for mean in &self.geomean {
            match mean {
                Some(mean) => write!(f, " {} |", figures(*mean))?,
                None => write!(f, " - |")?,
            }
        }
        Ok(())
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [ns, ratio] = [self.ns, self.ratio].map(figures);
        let [least, greatest] = [self.spread.0, self.spread.1].map(figures);
        match least == greatest {
            true => write!(f, "{ns} ({ratio})"),
            false => write!(f, "{ns} ({ratio}; {least} to {greatest})"),
        }
    }
}

impl Display for Loading {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Loading {
            raw_unet_bytes,
            raw_unet_us,
            large,
        } = self;
        let Paced {
            measured,
            as_promised_for,
            pace,
        } = raw_unet_us;
        write!(
            f,
            "- RawUnet, {raw_unet_bytes} bytes: {measured:.1} us; {as_promised_for:.1} as promised for, at a pace of \
             {pace:.2}"
        )?;
        for large in large {
            let Paced {
                measured,
                as_promised_for,
                pace,
            } = large.megabytes_per_second;
            write!(
                f,
                "\n- {} bytes: {measured:.1} MB/s; {as_promised_for:.1} at {pace:.2}",
                large.bytes
            )?;
        }
        Ok(())
    }
}

impl Display for Packets {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "- one pair of endpoints: {:.0} ns each, {:.2} million/s; {:.2} as promised for, at a pace of {:.2}",
            self.ns.measured,
            self.millions_per_second().measured,
            self.millions_per_second().as_promised_for,
            self.ns.pace
        )?;
        write!(
            f,
            "\n- the same with the summary, as `jive run --trace none`: {:.0} ns each, {:.2} million/s",
            self.summarized_ns.measured,
            self.summarized_ns.rate(1e3).measured
        )?;
        for endpoints in &self.endpoints {
            write!(
                f,
                "\n- {} endpoints on each NIC: one active {:.2}, all active {:.2} times that",
                endpoints.count, endpoints.one_active, endpoints.all_active
            )?;
        }
        for nics in &self.nics {
            write!(
                f,
                "\n- {} NICs, all busy: {:.2} times that in pairs, {:.2} in one network taken apart, {:.2} where each \
                 pair has sent to the next; a hop over switches {:.2} times the latter, and each link more {:.2}",
                nics.count,
                nics.all_busy,
                nics.in_one_network,
                nics.met,
                nics.hop,
                nics.further_link()
            )?;
        }
        write!(
            f,
            "\n- an idle endpoint with RawUnet, without buffer area, RxBuf and heap: {} bytes",
            self.idle_endpoint_bytes
        )?;
        match self.idle_endpoint_resident {
            Some(bytes) => write!(f, "; {bytes} are resident, its arrays included"),
            None => Ok(()),
        }
    }
}

impl Display for Promise {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Promise {
            what,
            measured,
            as_promised_for,
            must,
            must_holds,
            goal,
            goal_holds,
        } = self;
        let bounds = [must, goal].map(|bound| bound.map(Bound::value));
        let paced = as_promised_for.map(|value| figures_beside(value, bounds));
        let measured = figures_beside(*measured, bounds);
        write!(f, "| {what} | {measured} | {} |", paced.unwrap_or_default())?;
        for (bound, holds) in [(must, must_holds), (goal, goal_holds)] {
            let holds = holds.map_or("", |holds| if holds { "yes" } else { "**no**" });
            match bound {
                Some(Bound::AtMost(most)) => write!(f, " at most {most} | {holds} |")?,
                Some(Bound::AtLeast(least)) => write!(f, " at least {least} | {holds} |")?,
                None => write!(f, " | |")?,
            }
        }
        Ok(())
    }
}

/// Writes a value with about three digits, and with more digits while its text equals that of one of `others`.
fn figures_beside(value: f64, others: [Option<f64>; 2]) -> String {
    let looks_like = |shown: &str| {
        let mut others = others.into_iter().flatten();
        others
            .any(|other| other != value && (figures(other) == shown || shown.parse() == Ok(other)))
    };
    let short = figures(value);
    if !looks_like(&short) {
        return short;
    }
    let longer = (1..).map(|decimals| format!("{value:.decimals$}"));
    longer
        .take_while(|longer| longer.len() < 20)
        .find(|longer| !looks_like(longer))
        .unwrap_or_else(|| value.to_string())
}

/// Writes a value with about three digits, and thousands as `k`.
fn figures(value: f64) -> String {
    match value {
        10_000_000.0.. => format!("{:.1}M", value / 1e6),
        100_000.0.. => format!("{:.0}k", value / 1e3),
        10_000.0.. => format!("{:.1}k", value / 1e3),
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{figures, figures_beside};

    #[test]
    fn values_have_about_three_figures() {
        let values = [
            0.804, 9.96, 31.84, 416.2, 7390.4, 15_912.0, 109_512.0, 109.5e6,
        ];
        let shown = [
            "0.80", "9.96", "31.8", "416", "7390", "15.9k", "110k", "109.5M",
        ];
        assert_eq!(values.map(figures), shown);
    }
    #[test]
    fn a_value_next_to_its_bound_is_not_rounded_to_it() {
        let bounds = [Some(0.8), None];
        assert_eq!(figures_beside(0.801_912, bounds), "0.802");
        assert_eq!(figures_beside(0.800_049, bounds), "0.80005");
        assert_eq!(figures_beside(24.967_321, [Some(25.0), None]), "24.97");
        assert_eq!(figures_beside(0.8, bounds), "0.80");
        assert_eq!(figures_beside(0.71, bounds), "0.71");
    }
}
