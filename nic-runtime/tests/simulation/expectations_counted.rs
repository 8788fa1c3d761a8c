//! Random expectations of random runs, counted again from the JSON trace by the words of docs/scenario.md.

use nic_runtime::Run;
use std::collections::BTreeSet;
use std::fmt::Write;

use nic_core::random::Generator;
use serde_json::Value;

use crate::runs::runs;
use crate::scenario::read;
use crate::spaced::{below, index};
use crate::{exchange, random_runs, trace};

/// A receive descriptor: its endpoint, its channel, and the bytes of its message in hexadecimal.
#[derive(Clone, Debug)]
struct Descriptor {
    endpoint: String,
    channel: i64,
    payload: String,
}

/// What a run has done, read from the lines of its trace alone.
struct Seen {
    descriptors: Vec<Descriptor>,
    /// Endpoint and reason of each drop.
    drops: Vec<(String, String)>,
    /// Endpoint and kind of each trap.
    traps: Vec<(String, String)>,
}

impl Seen {
    fn of(events: &[Value]) -> Seen {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let both = |names: &[&str], key: &str| {
            let events = events.iter();
            let named = events.filter(|event| names.iter().any(|name| event["event"] == *name));
            let both =
                named.filter_map(|event| Some((text(&event["endpoint"])?, text(&event[key])?)));
            both.collect::<Vec<_>>()
        };
        let descriptors = events
            .iter()
            .filter(|event| event["event"] == "rx-descriptor")
            // A descriptor of a VI has a status, and brings a message if it is `ok`.
            .filter(|event| event["status"].is_null() || event["status"] == "ok");
        // A packet with a message that is longer than its descriptor is lost.
        let too_long = events.iter().filter(|event| {
            event["event"] == "rx-descriptor"
                && event["status"] == "length-error"
                && !event["packet"].is_null()
        });
        let too_long = too_long.map(|event| {
            let endpoint = text(&event["endpoint"]).expect("it is at an endpoint");
            (endpoint, "length-error".to_owned())
        });
        let mut drops = both(&["drop", "wire-drop"], "reason");
        drops.extend(too_long);
        Seen {
            descriptors: descriptors
                .map(|event| Descriptor {
                    endpoint: text(&event["endpoint"]).expect("it is at an endpoint"),
                    channel: event["channel"].as_i64().expect("a number"),
                    payload: text(&event["payload"]).expect("payloads are shown"),
                })
                .collect(),
            drops,
            traps: both(&["trap"], "kind"),
        }
    }

    /// Returns the descriptors of an endpoint, on one of its channels or on all, in the order of the run.
    fn received(&self, endpoint: &str, channel: Option<i64>) -> Vec<&str> {
        self.descriptors
            .iter()
            .filter(|descriptor| descriptor.endpoint == endpoint)
            .filter(|descriptor| channel.is_none_or(|channel| channel == descriptor.channel))
            .map(|descriptor| descriptor.payload.as_str())
            .collect()
    }
}

/// An expectation of messages.
#[derive(Debug)]
struct Messages {
    endpoint: String,
    channel: Option<i64>,
    payloads: Vec<String>,
    repeat: usize,
    in_any_order: bool,
}

impl Messages {
    fn all(&self) -> impl Iterator<Item = &str> {
        let each = self.payloads.iter().map(String::as_str);
        each.flat_map(|payload| std::iter::repeat_n(payload, self.repeat))
    }
}

#[derive(Debug)]
enum Expected {
    Messages(Messages),
    /// Whether the count is right.
    Counted(bool),
}

/// Draws an expectation, and writes it to the scenario.
fn draw(generator: &mut Generator, seen: &Seen, toml: &mut String) -> Expected {
    toml.push_str("[[expect]]\n");
    let endpoints = seen
        .descriptors
        .iter()
        .map(|descriptor| descriptor.endpoint.as_str());
    let hit = seen
        .drops
        .iter()
        .chain(&seen.traps)
        .map(|(endpoint, _)| endpoint.as_str());
    let endpoints = endpoints
        .chain(hit)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect::<Vec<_>>();
    let endpoint = (!endpoints.is_empty() && below(generator, 4) > 0)
        .then(|| endpoints[index(generator, endpoints.len())]);
    if let Some(endpoint) = endpoint {
        writeln!(toml, "endpoint = '{endpoint}'").unwrap();
    }
    let is_at = |at: &str| endpoint.is_none_or(|endpoint| endpoint == at);
    let channels = seen
        .descriptors
        .iter()
        .filter(|descriptor| is_at(&descriptor.endpoint));
    // An applet may choose a negative number, which no expectation names.
    let channels = channels.map(|descriptor| descriptor.channel);
    let channels = channels.filter(|channel| *channel >= 0).collect::<Vec<_>>();
    let channel = (!channels.is_empty() && below(generator, 2) == 0)
        .then(|| channels[index(generator, channels.len())]);
    // A count that is sometimes one beside the right one.
    let beside = |generator: &mut Generator, right: usize| match below(generator, 6) {
        0 => right + 1,
        1 => right.saturating_sub(1),
        _ => right,
    };
    match (below(generator, 4), endpoint) {
        (0, _) => {
            let found = seen.descriptors.iter().filter(|descriptor| {
                is_at(&descriptor.endpoint)
                    && channel.is_none_or(|channel| channel == descriptor.channel)
            });
            let found = found.count();
            let count = beside(generator, found);
            if let Some(channel) = channel {
                writeln!(toml, "channel = {channel}").unwrap();
            }
            writeln!(toml, "count = {count}").unwrap();
            Expected::Counted(count == found)
        }
        (1 | 2, Some(endpoint)) => {
            let received = seen.received(endpoint, channel);
            let length = index(generator, 5);
            let in_any_order = below(generator, 2) == 0;
            let start = if in_any_order {
                index(generator, received.len() + 1)
            } else {
                0
            };
            let payloads = received.iter().skip(start).take(length);
            let mut payloads = payloads
                .map(|payload| (*payload).to_owned())
                .collect::<Vec<_>>();
            if payloads.is_empty() || below(generator, 5) == 0 {
                payloads.push("0badf00d".to_owned());
            }
            let repeat = 1 + usize::from(below(generator, 5) == 0);
            let messages = Messages {
                endpoint: endpoint.to_owned(),
                channel,
                payloads,
                repeat,
                in_any_order,
            };
            write_messages(&messages, toml);
            Expected::Messages(messages)
        }
        (which, _) => {
            let (key, of) = match which % 2 {
                0 => ("traps", &seen.traps),
                _ => ("drops", &seen.drops),
            };
            let found = of.iter().filter(|(at, _)| is_at(at)).collect::<Vec<_>>();
            if found.is_empty() || below(generator, 2) == 0 {
                let count = beside(generator, found.len());
                writeln!(toml, "{key} = {count}").unwrap();
                return Expected::Counted(count == found.len());
            }
            let (_, kind) = found[index(generator, found.len())];
            let right = found.iter().filter(|(_, one)| one == kind).count();
            let count = beside(generator, right);
            writeln!(toml, "{key} = {{ {kind} = {count} }}").unwrap();
            Expected::Counted(count == right)
        }
    }
}

/// Draws for messages in any order another expectation of the same messages, on a channel or on all of them: a received
/// message meets one of the two. Writes it to the scenario.
fn twin(
    generator: &mut Generator,
    seen: &Seen,
    drawn: &Expected,
    toml: &mut String,
) -> Option<Expected> {
    let Expected::Messages(messages) = drawn else {
        return None;
    };
    if !messages.in_any_order || below(generator, 2) == 0 {
        return None;
    }
    let of_first = seen.descriptors.iter().find(|descriptor| {
        descriptor.endpoint == messages.endpoint && messages.payloads.contains(&descriptor.payload)
    });
    let channel = match (messages.channel, of_first) {
        (None, Some(descriptor)) if descriptor.channel >= 0 => Some(descriptor.channel),
        (None, _) => return None,
        (Some(_), _) => None,
    };
    let twin = Messages {
        endpoint: messages.endpoint.clone(),
        channel,
        payloads: messages.payloads.clone(),
        repeat: 1,
        in_any_order: true,
    };
    writeln!(toml, "[[expect]]\nendpoint = '{}'", twin.endpoint).unwrap();
    write_messages(&twin, toml);
    Some(Expected::Messages(twin))
}

/// Writes the keys of an expectation of messages, except for its endpoint.
fn write_messages(messages: &Messages, toml: &mut String) {
    let Messages {
        channel,
        payloads,
        repeat,
        in_any_order,
        ..
    } = messages;
    if let Some(channel) = channel {
        writeln!(toml, "channel = {channel}").unwrap();
    }
    let list = payloads
        .iter()
        .map(|payload| format!("{{ hex = '{payload}' }}"));
    let list = list.collect::<Vec<_>>().join(", ");
    let order = if *in_any_order { "any" } else { "file" };
    writeln!(
        toml,
        "payload = [{list}]\norder = '{order}'\nrepeat = {repeat}"
    )
    .unwrap();
}

/// Returns for each expectation whether it is met.
fn count_again(seen: &Seen, expected: &[Expected]) -> Vec<bool> {
    let mut met = expected
        .iter()
        .map(|one| !matches!(one, Expected::Counted(false)))
        .collect::<Vec<_>>();
    let messages = || {
        expected
            .iter()
            .enumerate()
            .filter_map(|(number, one)| match one {
                Expected::Messages(messages) => Some((number, messages)),
                Expected::Counted(_) => None,
            })
    };
    // In the order of the file: the first message of a list is compared with the first descriptor, and so on.
    let mut positions = Vec::<((&str, Option<i64>), usize)>::new();
    for (number, one) in messages().filter(|(_, one)| !one.in_any_order) {
        let way = (one.endpoint.as_str(), one.channel);
        let received = seen.received(way.0, way.1);
        let known = positions.iter().position(|(other, _)| *other == way);
        let place = known.unwrap_or(positions.len());
        if known.is_none() {
            positions.push((way, 0));
        }
        for payload in one.all() {
            let position = &mut positions[place].1;
            met[number] &= received.get(*position) == Some(&payload);
            *position += 1;
        }
    }
    // In any order: each descriptor meets one expectation at most, and rather one that names its channel.
    let mut left = messages()
        .filter(|(_, one)| one.in_any_order)
        .flat_map(|(number, one)| one.all().map(move |payload| (number, one, payload)))
        .collect::<Vec<_>>();
    for descriptor in &seen.descriptors {
        let fits = |named: bool| {
            left.iter().position(|(_, one, payload)| {
                one.endpoint == descriptor.endpoint
                    && *payload == descriptor.payload
                    && match one.channel {
                        Some(channel) => named && channel == descriptor.channel,
                        None => !named,
                    }
            })
        };
        if let Some(place) = fits(true).or_else(|| fits(false)) {
            left.remove(place);
        }
    }
    for (number, ..) in left {
        met[number] = false;
    }
    met
}

#[test]
fn expectations_are_met_as_the_trace_says() {
    let (mut met_in_all, mut unmet_in_all) = (0, 0);
    for seed in 0..runs(12) {
        let (toml, trace) = match seed % 3 {
            0 | 1 => {
                let of = [random_runs::scenario, random_runs::spaced];
                let toml = of[(seed % 3) as usize](seed);
                let trace = trace::run(&toml);
                (toml, trace)
            }
            // Here messages may wait until the end for a receiver that posts nothing; `exchange` checks which.
            _ => {
                let toml = exchange::scenario(seed);
                let trace = trace::try_run(&toml).expect("it runs");
                (toml, trace)
            }
        };
        let seen = Seen::of(&trace.events);
        let mut generator = Generator::named(seed, &["expectations"]);
        let mut expectations = String::new();
        let mut expected = Vec::new();
        for _ in 0..12 {
            let drawn = draw(&mut generator, &seen, &mut expectations);
            let twin = twin(&mut generator, &seen, &drawn, &mut expectations);
            expected.push(drawn);
            expected.extend(twin);
        }
        let scenario = read(&format!("{toml}{expectations}"));
        let (_, judgement) = Run::new(&scenario)
            .judge()
            .execute()
            .expect("it runs")
            .judged();
        let judgement = judgement.expect("something is expected");
        let met = scenario
            .expectations
            .iter()
            .map(|one| judgement.unmet.iter().all(|unmet| unmet.place != one.place))
            .collect::<Vec<_>>();
        assert_eq!(
            met,
            count_again(&seen, &expected),
            "seed {seed}\n{expectations}\n{expected:#?}\n{:#?}",
            judgement.unmet
        );
        met_in_all += judgement.met;
        unmet_in_all += judgement.unmet.len();
    }
    assert!(
        met_in_all > 0 && unmet_in_all > 0,
        "{met_in_all} and {unmet_in_all}"
    );
}
