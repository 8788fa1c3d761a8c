//! What happened in an exchange, and whether it is what was promised.

use nic_runtime::Run;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use nic_core::event::roles::Step;
use nic_core::event::{EndReason, Event, EventKind, Names, Sink, ViaEvent};
use nic_core::id::PostId;
use nic_core::via::ViState;
use nic_runtime::export::PayloadMode;
use nic_runtime::export::json::JsonTrace;
use nic_runtime::export::summary::Summary;
use nic_runtime::scenario::parse;
use serde_json::Value;

use super::cast::{Exchange, NAMED, Pair, Way};
use super::promise::{Means, Order, Promise};
use crate::json_lines::values;

/// What the user of an endpoint saw.
#[derive(Default)]
struct Seen {
    /// Posted messages in order, with the status of each that has completed.
    posted: Vec<(Vec<u8>, Option<&'static str>)>,
    posts: BTreeMap<PostId, usize>,
    received: Vec<Vec<u8>>,
    drops: u64,
    is_broken: bool,
}

/// A sink that keeps what users see, and counts what NICs do.
struct Watch {
    seen: Vec<Seen>,
    summary: Summary,
    /// Packets and frames that left, arrived and were lost.
    sent: u64,
    arrived: u64,
    lost: u64,
    windows: u64,
    hash: DefaultHasher,
    fault: Option<String>,
}

impl Sink for Watch {
    fn event(&mut self, names: &dyn Names, event: &Event<'_>) {
        self.summary.event(names, event);
        let roles = event.kind.roles();
        (event.time, roles.name, event.endpoint.map(|id| id.0)).hash(&mut self.hash);
        match roles.name {
            "wire-tx" => self.sent += 1,
            "wire-rx" => self.arrived += 1,
            "wire-drop" => self.lost += 1,
            "window-written" => self.windows += 1,
            _ => {}
        }
        let Some(here) = event.endpoint else {
            return;
        };
        let seen = &mut self.seen[here.0 as usize];
        match roles.step {
            Step::Posted { post, payload, .. } => {
                seen.posts.insert(post, seen.posted.len());
                seen.posted.push((payload.to_vec(), None));
            }
            Step::Completed { post, status, .. } => {
                let place = seen.posts.remove(&post);
                let Some(place) = place else {
                    let fault = || format!("a descriptor of {here:?} completes twice");
                    self.fault.get_or_insert_with(fault);
                    return;
                };
                status.hash(&mut self.hash);
                seen.posted[place].1 = Some(status);
            }
            Step::Delivered {
                payload, channel, ..
            } => {
                let bytes: Vec<u8> = payload.bytes().collect();
                bytes.hash(&mut self.hash);
                // `Reliable` tells its user of a message that it refuses on the complement of a channel.
                if channel.0 >= 0 {
                    seen.received.push(bytes);
                }
            }
            Step::Dropped { .. } => seen.drops += 1,
            _ => {}
        }
        if let EventKind::Via(ViaEvent::ViState { state, .. }) = event.kind {
            seen.is_broken = state != ViState::Connected;
        }
    }
}

/// What a run did, for counting.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) posted: u64,
    pub(super) received: u64,
    /// Hash of all events with their times.
    pub(super) hash: u64,
}

/// Runs an exchange, and checks every promise.
pub(super) fn check(exchange: &Exchange) -> Result<Ran, String> {
    let text = exchange.toml();
    let classes = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes");
    let scenario = parse(text.as_bytes(), Some(&classes), None)
        .map_err(|mistakes| format!("not read: {mistakes:?}"))?;
    let mut watch = Watch {
        seen: scenario.endpoints.iter().map(|_| Seen::default()).collect(),
        summary: Summary::new(&scenario),
        sent: 0,
        arrived: 0,
        lost: 0,
        windows: 0,
        hash: DefaultHasher::new(),
        fault: None,
    };
    let (end, states) = Run::new(&scenario)
        .sink(&mut watch)
        .keep_states()
        .execute()
        .map_err(|error| format!("refused: {error}"))?
        .end_and_states();
    watch.summary.end(end.time, end.reason);
    if end.reason != EndReason::Idle {
        return Err(format!("the run ends with {:?}", end.reason));
    }
    if let Some(fault) = watch.fault.take() {
        return Err(fault);
    }
    if watch.sent != watch.arrived + watch.lost {
        let (sent, arrived, lost) = (watch.sent, watch.arrived, watch.lost);
        return Err(format!("{sent} sent, {arrived} arrived, {lost} lost"));
    }
    let trace = JsonTrace::new(Vec::new(), PayloadMode::Omitted, &scenario);
    accounts(exchange, trace, &watch)?;
    let mut ran = Ran {
        hash: watch.hash.finish(),
        ..Ran::default()
    };
    for (number, pair) in exchange.pairs.iter().enumerate() {
        let promise = Promise::of(exchange, pair);
        for end in [0, 1] {
            let from = &watch.seen[2 * number + end];
            let to = &watch.seen[2 * number + 1 - end];
            let what = |found: String| {
                let name = &Pair::names(number)[end];
                format!("from `{name}` ({:?}): {found}", pair.way)
            };
            posted(pair, end, from).map_err(what)?;
            if pair.way == Way::Windows {
                let area = &states[2 * number + 1 - end].area;
                window(from, area, !exchange.faults.is_any()).map_err(what)?;
            } else {
                direction(promise, from, to).map_err(what)?;
            }
            ran.posted += from.posted.len() as u64;
            ran.received += to.received.len() as u64;
        }
    }
    Ok(ran)
}

/// Checks that the accounts of the summary have nothing pending, and that their parts add up to what was counted.
fn accounts(exchange: &Exchange, trace: JsonTrace<Vec<u8>>, watch: &Watch) -> Result<(), String> {
    let bytes = trace
        .finish(&watch.summary)
        .expect("a vector takes every write");
    let summary = values(&bytes).pop().expect("the last line");
    for row in summary["endpoints"].as_array().expect("rows") {
        let name = row["endpoint"].as_str().expect("a name");
        let place = (0..watch.seen.len()).find(|place| Pair::names(place / 2)[place % 2] == name);
        let place = place.expect("a row of an endpoint");
        let (seen, peer) = (&watch.seen[place], &watch.seen[place ^ 1]);
        let accounts = &row["accounts"];
        let pending = seen.posted.iter().filter(|(_, status)| status.is_none());
        let failed = peer
            .posted
            .iter()
            .filter(|(_, status)| *status == Some("failed"));
        let has_broken = u64::from(seen.is_broken);
        // An altered acknowledgement may end a message of EMP that has not arrived, which then stays in flight. Over
        // remote memory, data waits for its entry, which does not come if the connection ends first.
        let (in_flight, waiting) = match exchange.pairs[place / 2].way {
            Way::Plain | Way::Applet(_) | Way::Windows | Way::Via(_) | Way::ViaApplet(..) => (0, 0),
            Way::Emp | Way::EmpApplet(_) if exchange.faults.flips() => (u64::MAX, 0),
            Way::Emp | Way::EmpApplet(_) => (0, 0),
            Way::Clan(_) => (0, has_broken),
        };
        let pending = pending.count() as u64;
        // What an applet sends may fail although its descriptor says nothing of it.
        let failed = match exchange.pairs[place / 2].way {
            Way::EmpApplet(_) => u64::MAX,
            Way::Plain
            | Way::Applet(_)
            | Way::Windows
            | Way::Via(_)
            | Way::ViaApplet(..)
            | Way::Emp
            | Way::Clan(_) => failed.count() as u64,
        };
        for (account, open, least, most) in [
            ("posts", "pending", pending, pending),
            ("pushes", "waiting", 0, 0),
            ("wire", "in-flight", 0, in_flight),
            ("wire", "failed", 0, failed),
            ("arrivals", "waiting", 0, waiting),
        ] {
            let found = accounts[account][open].as_u64().unwrap_or(0);
            if !(least..=most).contains(&found) {
                return Err(format!("`{name}`: {account}: {found} {open} in {accounts}"));
            }
        }
        let sum = |account: &str| {
            let counts = accounts[account].as_object().expect("counts");
            counts.values().filter_map(Value::as_u64).sum::<u64>()
        };
        let received = accounts["wire"]["received"].as_u64().unwrap_or(0);
        if sum("posts") != seen.posted.len() as u64 || sum("arrivals") != received {
            return Err(format!("`{name}`: the parts do not add up: {accounts}"));
        }
    }
    Ok(())
}

/// Checks that the user has posted each message of the scenario, and that each has a status.
fn posted(pair: &Pair, end: usize, seen: &Seen) -> Result<(), String> {
    let messages = &pair.ends[end].messages;
    let unlike = messages
        .iter()
        .zip(&seen.posted)
        .position(|(message, (posted, _))| message.bytes != *posted);
    if let Some(number) = unlike {
        return Err(format!("message {number} was posted with other bytes"));
    }
    let pending = seen.posted.iter().filter(|(_, status)| status.is_none());
    let (pending, unposted) = (pending.count(), messages.len() - seen.posted.len());
    // A message that waits for a descriptor of a user who has none left, or cannot post any, waits for this user.
    let peer = &pair.ends[1 - end];
    let may_wait =
        pair.has("on_empty = 'defer'") && (peer.buffers.0 == 0 || !peer.regions.is_empty());
    if pending + unposted > 0 && !may_wait {
        return Err(format!(
            "{pending} have no status, {unposted} were not posted"
        ));
    }
    Ok(())
}

/// Checks the messages of one direction.
fn direction(promise: Promise, from: &Seen, to: &Seen) -> Result<(), String> {
    if promise.any_bytes {
        let (posted, received) = (from.posted.len(), to.received.len());
        return match received <= posted {
            true => Ok(()),
            false => Err(format!("{posted} posted, {received} received")),
        };
    }
    // Short messages may be equal, so each is taken for the oldest equal one that is left.
    let mut left: Vec<(usize, &Vec<u8>)> = from
        .posted
        .iter()
        .map(|(bytes, _)| bytes)
        .enumerate()
        .collect();
    let mut order = Vec::new();
    for (place, bytes) in to.received.iter().enumerate() {
        let is_it = |posted: &Vec<u8>| is_from(posted, bytes, promise);
        let Some(found) = left.iter().position(|(_, posted)| is_it(posted)) else {
            let was_sent = from.posted.iter().any(|(posted, _)| is_it(posted));
            let why = match was_sent {
                true => "came before",
                false => "was never posted",
            };
            if was_sent && !promise.once {
                continue;
            }
            let head = &bytes[..bytes.len().min(16)];
            let length = bytes.len();
            return Err(format!(
                "received message {place} {why}: {length} bytes, {head:02x?}"
            ));
        };
        let (number, _) = left[found];
        order.push(number);
        if promise.once {
            left.remove(found);
        }
    }
    in_order(promise, from, &order)?;
    let arrived = |number: usize| order.contains(&number);
    if promise.means == Means::Arrived {
        let named = from.posted.iter().enumerate();
        let missing = named
            .filter(|(_, (bytes, status))| bytes.len() >= NAMED && *status == Some("ok"))
            .map(|(number, _)| number)
            .find(|number| !arrived(*number));
        if let Some(number) = missing {
            return Err(format!("message {number} is `ok` and did not arrive"));
        }
    }
    let ok = from
        .posted
        .iter()
        .filter(|(_, status)| *status == Some("ok"));
    let ok = ok.count() as u64;
    if promise.accounted && promise.order != Order::OfTag {
        let fates = to.received.len() as u64 + to.drops;
        if fates < ok {
            return Err(format!("{ok} are `ok`, {fates} arrived or were dropped"));
        }
    }
    Ok(())
}

/// Returns whether received bytes are those of a posted message, with as many changes as are allowed.
fn is_from(posted: &[u8], received: &[u8], promise: Promise) -> bool {
    // No receive is shorter than 64 bytes.
    if promise.cuts && (64..posted.len()).contains(&received.len()) {
        return posted.starts_with(received);
    }
    if posted.len() != received.len() {
        return false;
    }
    if promise.flips == 0 {
        return posted == received;
    }
    let pairs = posted.iter().zip(received);
    pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>() <= promise.flips
}

fn in_order(promise: Promise, from: &Seen, order: &[usize]) -> Result<(), String> {
    // The place of a short message, or of one with a flipped bit, is a guess.
    if promise.flips > 0 || promise.order == Order::Any {
        return Ok(());
    }
    let named = order
        .iter()
        .copied()
        .filter(|number| from.posted[*number].0.len() >= NAMED);
    let named: Vec<usize> = named.collect();
    let unsorted = |numbers: &[usize]| {
        let two = numbers.windows(2).find(|two| two[0] > two[1]);
        two.map(|two| format!("message {} arrives before {}", two[0], two[1]))
    };
    match promise.order {
        Order::Any => Ok(()),
        Order::OfTag => {
            for tag in 0..3 {
                let of_tag = named
                    .iter()
                    .filter(|number| from.posted[**number].0[0] == tag);
                let of_tag: Vec<usize> = of_tag.copied().collect();
                if let Some(found) = unsorted(&of_tag) {
                    return Err(format!("tag {tag}: {found}"));
                }
            }
            Ok(())
        }
        Order::Posted => unsorted(&named).map_or(Ok(()), Err),
        Order::Gapless => {
            if let Some(found) = unsorted(&named) {
                return Err(found);
            }
            let Some(last) = named.last() else {
                return Ok(());
            };
            let missing = (0..*last).find(|number| {
                let (bytes, status) = &from.posted[*number];
                // A message that was not sent has a status that says so.
                let was_sent = matches!(status, Some("ok" | "flushed") | None);
                bytes.len() >= NAMED && was_sent && !named.contains(number)
            });
            match missing {
                Some(number) => {
                    let status = from.posted[number].1;
                    Err(format!(
                        "message {number} ({status:?}) is missing before {last}"
                    ))
                }
                None => Ok(()),
            }
        }
    }
}

/// Checks the bytes of a window: each is a byte of a posted message at this place, and without faults the youngest.
fn window(from: &Seen, area: &[u8], is_exact: bool) -> Result<(), String> {
    for (place, found) in area.iter().enumerate().take(4_096) {
        let written = from.posted.iter().rev();
        let mut written = written.filter_map(|(bytes, _)| bytes.get(place));
        let is_right = match is_exact {
            true => written.next().unwrap_or(&0) == found,
            false => *found == 0 || written.any(|byte| byte == found),
        };
        if !is_right {
            return Err(format!("byte {place} of the window is {found}"));
        }
    }
    Ok(())
}
