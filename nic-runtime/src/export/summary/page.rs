//! The summary as a page of text.

use std::fmt;

use nic_core::event::EndReason;
use nic_core::event::fields::Escaped;

use super::rows::{EndpointRow, MethodRow};
use super::sends::CaptureRow;
use super::totals::Totals;
use super::{Expectations, Summary};
use crate::export::accounts::Account;
use crate::export::ports::PortTable;
use crate::export::tally::Tally;

/// Width in characters of the column of method names.
const METHOD_WIDTH: usize = 10;

impl fmt::Display for Summary {
    /// Writes the summary as text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        let ended = match self.reason {
            EndReason::Idle => "nothing was left to do",
            EndReason::Stuck => "stuck: nothing was due that could bring what was waited for",
            EndReason::Until => "the limit `until` was reached",
            EndReason::MaxEvents => "the limit `max_events` was reached",
            EndReason::MaxBytecodes => "the limit `max_bytecodes` was reached",
            EndReason::LoadTrap(_) => match self.trapped_endpoint() {
                Some(endpoint) => {
                    let endpoint = Escaped(endpoint);
                    &format!("an applet of {endpoint} trapped while it was loaded")
                }
                None => "an applet trapped while it was loaded",
            },
            EndReason::Unheard => "nothing took its events any more",
            EndReason::Interrupted => "interrupted",
        };
        writeln!(f, "virtual time  {}; {ended}", self.time)?;
        for waiting in &self.waiting {
            writeln!(f, "stuck         {waiting}")?;
        }
        for program in &self.gave_up {
            writeln!(f, "gave up       {program}")?;
        }
        for program in &self.unfinished {
            writeln!(f, "unfinished    {program}")?;
        }
        for cut in &self.cut {
            writeln!(f, "cut           {cut}")?;
        }
        for CaptureRow {
            send,
            packets,
            padded,
            left_out,
        } in &self.captures
        {
            if *padded > 0 || *left_out > 0 {
                writeln!(
                    f,
                    "capture       {packets} packets of `[[send]]` {send}, {padded} padded with zeros; {left_out} cut ones left out"
                )?;
            }
        }
        writeln!(f, "events        {}", self.events)?;
        let accounts = &totals.accounts;
        let refusals = match accounts.refusals.is_empty() {
            true => String::new(),
            false => format!("; refused for {}", Counts(&accounts.refusals)),
        };
        let posts = Parts(&accounts.posts);
        writeln!(
            f,
            "posted        {} messages{posts}{refusals}",
            totals.posted
        )?;
        if accounts.pushes.opened() > 0 {
            let pushes = Parts(&accounts.pushes);
            writeln!(
                f,
                "pushed        {} packets{pushes}",
                accounts.pushes.opened()
            )?;
        }
        writeln!(
            f,
            "sent          {} packets, {} bytes{}",
            totals.packets_sent,
            totals.bytes_sent,
            Parts(&accounts.wire)
        )?;
        writeln!(
            f,
            "received      {} packets, {} bytes{}",
            totals.packets_received,
            totals.bytes_received,
            Parts(&accounts.arrivals)
        )?;
        let notices = match totals.notices {
            0 => String::new(),
            1 => "; 1 notice of an applet".to_owned(),
            count => format!("; {count} notices of applets"),
        };
        writeln!(f, "delivered     {} messages{notices}", totals.delivered)?;
        writeln!(f, "drops         {}", Counts(&totals.drops))?;
        writeln!(f, "traps         {}", Counts(&totals.traps))?;
        if totals.detachments > 0 {
            writeln!(f, "detached      {} times", totals.detachments)?;
        }
        if totals.windows_mapped > 0 {
            let (mapped, evicted) = (totals.windows_mapped, totals.windows_evicted);
            writeln!(f, "mapped        {mapped} windows, {evicted} evicted")?;
        }
        if let Some(Expectations { met, not_met }) = self.expectations {
            writeln!(f, "expectations: {met} met, {not_met} not met")?;
        }
        let rows = self.shown_rows();
        endpoint_table(&rows, f)?;
        time_table(&rows, f)?;
        let table = PortTable {
            switches: &self.switches.rows(self.time),
            shows_each: self.by_endpoint,
        };
        write!(f, "{table}")?;
        self.method_table(&rows, f)
    }
}

fn endpoint_table(rows: &[EndpointRow], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:<20} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>9}  drops; traps",
        "endpoint",
        "posted",
        "refused",
        "pending",
        "sent",
        "bytes",
        "received",
        "bytes",
        "delivered"
    )?;
    for row in rows {
        let totals = &row.totals;
        writeln!(
            f,
            "{:<20} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>9}  {}; {}",
            row.endpoint,
            totals.posted,
            totals.accounts.posts.outcome("refused"),
            totals.accounts.posts.pending(),
            totals.packets_sent,
            totals.bytes_sent,
            totals.packets_received,
            totals.bytes_received,
            totals.delivered,
            Counts(&totals.drops),
            Counts(&totals.traps),
        )?;
    }
    Ok(())
}

fn time_table(rows: &[EndpointRow], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "\n{:<20} {:>15} {:>12} {:>15} {:>15} {:>9}",
        "time", "applet", "cycles", "DMA", "wire out", "detached"
    )?;
    for row in rows {
        let Totals {
            applet,
            applet_cycles,
            dma,
            wire,
            detachments,
            ..
        } = &row.totals;
        let [applet, dma, wire] = [applet, dma, wire].map(ToString::to_string);
        writeln!(
            f,
            "{:<20} {applet:>15} {applet_cycles:>12} {dma:>15} {wire:>15} {detachments:>9}",
            row.endpoint
        )?;
    }
    Ok(())
}

impl Summary {
    fn method_table(&self, rows: &[EndpointRow], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods = || Summary::methods(rows.iter());
        if methods().next().is_none() {
            return Ok(());
        }
        let name = |row: &MethodRow| match &row.applet {
            Some(applet) => format!("{}.{}", Escaped(applet), Escaped(&row.method)),
            None => Escaped(&row.method).to_string(),
        };
        // A longer method name of a single applet does not widen the column of names. Method names of a chain include
        // the class and are all longer, so they widen the column.
        let in_chain = methods().filter(|row| row.applet.is_some());
        let width = in_chain.map(|row| name(row).chars().count()).max();
        let width = width.unwrap_or(0).max(METHOD_WIDTH);
        writeln!(
            f,
            "\n{:<20} {:<width$} {:>8} {:>8} {:>10} {:>10} {:>10}",
            "bytecodes per call", "method", "calls", "trapped", "min", "median", "max"
        )?;
        for row in methods() {
            writeln!(
                f,
                "{:<20} {:<width$} {:>8} {:>8} {:>10} {:>10} {:>10}",
                row.endpoint,
                name(row),
                row.bytecodes.count(),
                row.trapped,
                row.bytecodes.minimum(),
                row.bytecodes.median(),
                row.bytecodes.maximum(),
            )?;
        }
        if let Some(profile) = &self.free {
            writeln!(
                f,
                "\nUnder `{}` bytecodes take no time of their own; `profile = \"modern\"` counts it.",
                Escaped(profile)
            )?;
        }
        Ok(())
    }
}

/// Shows the outcomes of an account, as in `: ok 3, pending 1`. Prints nothing for an account that counted no message
/// or packet.
struct Parts<'a>(&'a Account);

impl fmt::Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, count)) in self.0.parts().enumerate() {
            let separator = if position == 0 { ": " } else { ", " };
            write!(f, "{separator}{name} {count}")?;
        }
        Ok(())
    }
}

/// Shows counts by name, as in `loss 3, crc 1`.
struct Counts<'a>(&'a Tally);

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (position, (name, count)) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(f, "{separator}{name} {count}")?;
        }
        Ok(())
    }
}
