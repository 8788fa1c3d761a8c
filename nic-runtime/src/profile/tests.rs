//! Tests of what profiles accept, and of the costs that they give.

use super::*;

fn lanai() -> &'static str {
    BUILTIN[0].1
}

#[test]
fn every_builtin_parses_and_bears_its_name() {
    for name in Profile::builtin_names() {
        let purpose = Profile::builtin_purpose(name);
        assert!(
            purpose.is_some_and(|purpose| purpose.ends_with('.')),
            "{name}: its file begins with no sentence"
        );
        assert_eq!(
            Profile::builtin(name)
                .map(|profile| profile.name)
                .as_deref(),
            Some(name)
        );
    }
    assert_eq!(Profile::builtin("lanai-1999"), None);
}

/// Each step of the StrongARM takes the LANai's cycles, and everything else is the LANai's.
#[test]
fn the_strongarm_needs_the_lanais_cycles() {
    let entries = |name: &str| Profile::builtin(name).unwrap().entries();
    let pairs = entries("lanai-1998-split")
        .into_iter()
        .zip(entries("strongarm-1998"));
    for (lanai, strongarm) in pairs {
        let path = lanai.key.path();
        assert_eq!(path, strongarm.key.path());
        match path.as_str() {
            "processor.clock" | "processor.compiled" => continue,
            // The fuel of a native bounds its time, as the next test says.
            path if path.starts_with("native_fuel.") => continue,
            _ if lanai.key.form == "time or cycles" => {
                let ps = |entry: &Entry| {
                    let time = crate::units::parse_duration(&entry.value);
                    u128::from(time.unwrap().as_ps())
                };
                assert_eq!(ps(&lanai) * 37, ps(&strongarm) * 200, "{path}");
            }
            _ => assert_eq!(lanai.value, strongarm.value, "{path}"),
        }
        assert_eq!(lanai.source, strongarm.source, "{path}");
    }
}

/// A scaled value of `common` takes as many cycles as in the profile of its paper: of 37 MHz in the LANai, and of 450 MHz in
/// the host of Javia. EMP and the library over CLAN have the values and sources of their papers.
#[test]
fn scaled_values_of_common_have_the_cycles_of_their_papers() {
    let of = |name: &str| Profile::builtin(name).unwrap().entries();
    let common = of("common");
    let mut scaled = 0;
    for (name, sections, [from, to]) in [
        ("lanai-1998", &["base", "entry", "native"][..], [37, 88]),
        ("giganet-1999", &["javia"], [450, 650]),
        ("tigon2-2002", &["emp"], [88, 88]),
        ("clan-2001", &["via", "clan"], [650, 650]),
    ] {
        for own in of(name) {
            let path = own.key.path();
            // Memory, and not the clock, limits a copy within the NIC.
            if !sections.contains(&own.key.section) || path == "native.copy" {
                continue;
            }
            let here = common.iter().find(|entry| entry.key.path() == path);
            let here = here.unwrap_or_else(|| panic!("{path}"));
            let time = |entry: &Entry| {
                let time = crate::units::parse_duration(&entry.value).ok()?;
                Some(u128::from(time.as_ps()))
            };
            // A rate is shown in MB/s here.
            let rate = |entry: &Entry| entry.value.strip_suffix("MB/s")?.parse::<f64>().ok();
            let is_scaled = if let (Some(own), Some(here)) = (time(&own), time(here)) {
                // The value is rounded to a picosecond.
                assert!((own * from).abs_diff(here * to) <= to / 2, "{path}");
                true
            } else if let (Some(own), Some(here)) = (rate(&own), rate(here)) {
                let [from, to] = [from, to].map(|clock| clock as f64);
                assert!((own * to / (here * from) - 1.0).abs() < 1e-5, "{path}");
                true
            } else {
                assert_eq!(own.value, here.value, "{path}");
                false
            };
            let source = match own.source {
                Source::Paper(statement) | Source::Fitted(statement)
                    if is_scaled && from != to && here.value != own.value =>
                {
                    scaled += 1;
                    Source::Scaled(statement)
                }
                source => source,
            };
            assert_eq!(here.source, source, "{path}");
        }
    }
    // The file has 17, and six entries of applets have the values of others.
    assert_eq!(scaled, 17 + 6);
}

#[test]
fn fuel_of_the_strongarm_bounds_the_time_of_natives() {
    let strongarm = Profile::builtin("strongarm-1998").unwrap();
    let (fuel, rows) = (strongarm.native_fuel.unwrap(), strongarm.native.unwrap());
    let each = strongarm.processor.instruction();
    for &class in CostClass::ALL {
        let (fuel, row) = (fuel.of(class), rows.of(class));
        assert!(each.times(fuel) <= row, "{class:?}: {fuel}");
        assert!(each.times(fuel + 1) >= row, "{class:?}: {fuel}");
    }
}

#[test]
fn a_compiled_instruction_takes_its_part_and_the_rows_lose_the_rest() {
    let split = Profile::builtin("lanai-1998-split").unwrap();
    let mut compiled = split.clone();
    compiled.processor.compiled = 5_000;
    assert_eq!(
        compiled.processor.instruction(),
        SimDuration::from_ps(25_200)
    );
    // A native's row includes its call and arguments, which take less; the native itself takes as long.
    let class = CostClass::DmaSetup;
    assert_eq!(compiled.native_cost(class), split.native_cost(class));
}

const LOCKS: &str = include_str!("../../profiles/tigon2-2002-locks.toml");

fn refused(text: &str) -> String {
    assert_ne!(text, LOCKS);
    Profile::parse(text).unwrap_err().to_string()
}

#[test]
fn a_semaphore_is_a_section_or_a_value_of_the_processor() {
    let expected = Profile::parse(LOCKS).unwrap();
    let start = LOCKS.find("[semaphore]").unwrap();
    let end = start + LOCKS[start..].find("\n\n").unwrap();
    let without = LOCKS.replace(&LOCKS[start..end], "");
    assert_eq!(Profile::parse(&without).unwrap().semaphore, None);
    let value = "[processor]\nsemaphore = { take = \"12 cycles\", spin = \"8 cycles\", release = \"6 cycles\", \
        held = 0.5 }\n";
    let inside = without.replace("[processor]\n", value);
    assert_eq!(Profile::parse(&inside).unwrap(), expected);
    assert_eq!(
        refused(&LOCKS.replace("[processor]\n", value)),
        "`processor.semaphore` is the section `[semaphore]`: write one of them"
    );
}

#[test]
fn costs_of_sharing_that_make_no_sense_are_refused() {
    assert_eq!(
        refused(&LOCKS.replace("spin = \"8 cycles\"", "spin = \"0us\"")),
        "`semaphore.spin` is 0: write the time between two reads of a processor's register"
    );
    assert_eq!(
        refused(&LOCKS.replace("local = \"10 cycles\"", "local = \"88 cycles\"")),
        "`processor.local` is 1.000 us, and `processor.shared` 0.454 us: write a scratchpad that is as fast or faster"
    );
    assert_eq!(
        refused(&LOCKS.replace("shared = \"40 cycles\"", "shared = \"2.2us\"")),
        "the stage `receive-bookkeeping` touches 2 records, which take `processor.shared` each: longer than the stage"
    );
    assert!(refused(&LOCKS.replace("\"one\"", "\"two\"")).contains("\"per-object\""));
}

#[test]
fn figure_5_adds_up() {
    let profile = Profile::builtin("lanai-1998").unwrap();
    let (entry, native) = (profile.entry.unwrap(), profile.native.unwrap());
    let transmit = entry.tx_setup + entry.tx_call + native.dma_setup + native.transmit;
    assert_eq!(transmit, SimDuration::from_ns(24_500));
    let small = entry.rx_setup + entry.rx_call + native.descriptor_inline;
    assert_eq!(small, SimDuration::from_ns(16_700));
    let large = entry.rx_setup
        + entry.rx_call
        + native.free_buffer
        + native.dma_setup
        + native.descriptor_buffers;
    assert_eq!(large, SimDuration::from_ns(42_450));
}

#[test]
fn cycles_are_another_way_to_write_a_time() {
    let text = lanai().replace("5.5us", "203.5 cycles");
    assert_ne!(text, lanai());
    assert_eq!(Profile::parse(&text), Profile::parse(lanai()));
}

#[test]
fn rows_are_net_of_the_instructions_that_they_hold() {
    let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"0.65us\"");
    let profile = Profile::parse(&text).unwrap();
    let net = |class| profile.native_cost(class).unwrap().as_ns();
    // The native `transmit` costs 8.1 us, which include five instructions of 0.65 us: four pushes and the call.
    assert_eq!(net(CostClass::Transmit), 4_850);
    assert_eq!(net(CostClass::FreeBuffer), 5_200);
    assert_eq!(net(CostClass::DescriptorInline), 10_300);
    assert_eq!(
        profile.call_cost(profile.entry.unwrap().tx_call).as_ns(),
        2_600
    );
    let text = lanai().replace("bytecode = \"0us\"", "bytecode = \"1.7us\"");
    assert_eq!(
        Profile::parse(&text).unwrap_err().to_string(),
        "the row `transmit` holds 5 instructions, which take 8.500 us: longer than the row"
    );
}

#[test]
fn what_the_wire_carries_fits_what_the_nic_makes() {
    let with = |wire: &str, turns: &str| {
        let text = lanai().replace("[wire]\n", &format!("[wire]\n{wire}\n"));
        let text = text.replace("with_wire = { value = \"in-turn\"", turns);
        assert_ne!(text, lanai());
        Profile::parse(&text).map_err(|error| error.to_string())
    };
    let parallel = "with_wire = { value = \"parallel\"";
    assert!(with("mtu = '9216B'\ncell = '9216B'", parallel).is_ok());
    assert_eq!(
        with("mtu = '1500B'", parallel).unwrap_err(),
        "`memory.max_packet` is 9216 bytes, and `wire.mtu` lets 1500 pass: make one fit the other"
    );
    assert_eq!(
        with("mtu = '9500B'\ncell = '9501B'", parallel).unwrap_err(),
        "`wire.cell` is 9501 bytes, and a packet has 9500 at most: write a shorter cell, or 0 for none"
    );
    // The buffer holds two packets of 9,216 bytes, and the bytes that 160 MB/s carry in a microsecond.
    assert_eq!(
        with("flow = 'stop'\nbuffer = '18591B'", parallel).unwrap_err(),
        "with `wire.flow = \"stop\"` `wire.buffer` holds at least 18592 bytes: two frames, and what the wire carries \
         there and back"
    );
    assert!(with("flow = 'stop'\nbuffer = '18592B'", parallel).is_ok());
    assert_eq!(
        with("flow = 'drop'\nbuffer = '32KiB'", parallel).unwrap_err(),
        "`wire.buffer` is for `wire.flow = \"stop\"`"
    );
    assert_eq!(
        with("flow = 'stop'\nbuffer = '32KiB'\ncell = '64B'", parallel).unwrap_err(),
        "`wire.cell` and `wire.flow = \"stop\"` exclude each other"
    );
    assert_eq!(
        with("cell = '64B'", "with_wire = { value = \"in-turn\"").unwrap_err(),
        "with `wire.cell` a packet is on the wire while the rest of it is moved, and \
         `dma.with_wire = \"in-turn\"` forbids that: write \"parallel\", or no cell"
    );
}

#[test]
fn a_nic_in_host_software_needs_a_kernel_and_no_hardware() {
    let on_host = |rest: &str| {
        let text = lanai().replace("[base]", "place = 'host'\n\n[base]");
        Profile::parse(&(text + rest)).map_err(|error| error.to_string())
    };
    assert_eq!(
        on_host("").unwrap_err(),
        "with `processor.place = \"host\"` the NIC works in the host's kernel: add a section `[kernel]` with `call`, \
         `interrupt` and `copy`, or write `place = \"nic\"`"
    );
    let kernel = "\n[kernel]\ncall = '5us'\ninterrupt = '100 cycles'\ncopy = '100MB/s'\n";
    let profile = on_host(kernel).unwrap();
    assert!(profile.is_on_host() && !profile.sends_in_turn());
    assert!(
        on_host(&kernel.replace("copy", "copies"))
            .unwrap_err()
            .contains("line ")
    );
    let clan = "\n[clan]\nburst = '64B'\nburst_rate = '1GB/s'\npio_rate = '1GB/s'\n";
    assert_eq!(
        on_host(&(kernel.to_owned() + clan)).unwrap_err(),
        "`[clan]` describes a NIC that writes to remote memory without a processor, and `processor.place = \"host\"` \
         leaves all work to the host's: remove one of them"
    );
    let mut cells = profile.clone();
    cells.wire.cell = 64;
    assert_eq!(cells.check_place(), Err(ProfileError::CellsOnHost));
    // A profile without the costs of a kernel cannot be moved to the host.
    let lanai = Profile::parse(lanai()).unwrap();
    let is_place = |moved: &Moved| moved.key.path() == "processor.place";
    assert!(!lanai.alternatives().iter().any(is_place));
    assert!(profile.alternatives().iter().any(is_place));
    let text = self::lanai().replace("[base]", "place = 'kernel'\n\n[base]");
    let error = Profile::parse(&text).unwrap_err().to_string();
    assert!(error.contains("expected \"nic\" or \"host\""), "{error}");
}

#[test]
fn sections_of_what_a_nic_does_not_run_may_be_absent() {
    let without = |sections: &[&str]| {
        let mut document: toml::Table = toml::from_str(lanai()).unwrap();
        for section in sections {
            let is_removed = document.remove(*section).is_some();
            // A LANai is no host software, has one processor and no remote memory, pages no link memory and runs no EMP, its
            // packets leave in the order in which they were handed over, and classes ran on it and not on its hosts. So its profile
            // lacks these sections.
            let absent = [
                "kernel",
                "emp",
                "via",
                "clan",
                "lmmc",
                "port",
                "semaphore",
                "javia",
            ];
            let is_absent = absent.contains(section);
            assert_eq!(is_removed, !is_absent, "{section}");
        }
        Profile::parse(&document.to_string())
    };
    let bare = without(OPTIONAL).unwrap();
    assert_eq!(bare.lacks(&["dma", "entry"]), Some("entry"));
    assert_eq!(bare.lacks(&["dma", "wire"]), None);
    // The values of the sections that are present keep their sources.
    let whole = Profile::builtin("lanai-1998").unwrap();
    let entries = |profile: &Profile| -> Vec<_> {
        let entries = profile.entries();
        let kept = entries
            .iter()
            .filter(|entry| !OPTIONAL.contains(&entry.key.section));
        kept.map(|entry| (entry.key.path(), entry.value.clone(), entry.source))
            .collect()
    };
    assert_eq!(entries(&bare), entries(&whole));
    assert_eq!(bare.entries().len(), entries(&bare).len());
    let moved = bare.moves();
    assert!(
        moved
            .iter()
            .all(|moved| !OPTIONAL.contains(&moved.key.section))
    );
    for section in ["processor", "dma", "wire", "memory", "host"] {
        let error = without(&[section]).unwrap_err().to_string();
        assert!(
            error.contains(&format!("missing field `{section}`")),
            "{error}"
        );
    }
}

#[test]
fn each_value_is_moved_alone_and_says_where_it_comes_from() {
    let profile = Profile::builtin("lanai-1998").unwrap();
    let moves = profile.moves();
    let of = |path: &str| -> Vec<(String, String)> {
        let moves = moves.iter().filter(|moved| moved.key.path() == path);
        moves
            .map(|moved| (moved.value.clone(), moved.source.to_string()))
            .collect()
    };
    let pair = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    assert_eq!(
        of("base.receive"),
        [
            pair("20.58us", "fitted S1-45b"),
            pair("18.62us", "fitted S1-45b")
        ]
    );
    assert_eq!(of("dma.engines"), [pair("2", "paper S1-36")]);
    assert_eq!(
        of("memory.send_slots"),
        [pair("3", "chosen"), pair("1", "chosen")]
    );
    for moved in &moves {
        let (own, others) = (profile.entries(), moved.profile.entries());
        let differ = own
            .iter()
            .zip(&others)
            .filter(|(own, other)| own.value != other.value);
        let differ: Vec<String> = differ.map(|(own, _)| own.key.path()).collect();
        assert_eq!(differ, [moved.key.path()]);
    }
}

#[test]
fn a_slice_is_at_most_an_eighth_of_each_time_out() {
    let with = |profile: usize, from: &str, to: &str| {
        let text = BUILTIN[profile].1.replacen(from, to, 1);
        assert_ne!(text, BUILTIN[profile].1);
        Profile::parse(&text).map_err(|error| error.to_string())
    };
    let tigon2 = BUILTIN
        .iter()
        .position(|(name, _)| *name == "tigon2-2002")
        .unwrap();
    let longest = with(0, "2.5ms", "2.501ms").unwrap_err();
    assert_eq!(
        longest,
        "`nic.slice` is 2501.000 us: write more than 0 and at most 2500.000 us, an eighth of the shortest \
         time-out, 20000.000 us"
    );
    assert!(with(0, "2.5ms", "0us").is_err());
    assert!(with(0, "2.5ms", "1ns").is_ok());
    assert!(with(tigon2, "\"625us\"", "\"626us\"").is_err());
    assert!(with(tigon2, "timeout = \"5ms\"", "timeout = \"4.999ms\"").is_err());
    assert!(with(tigon2, "timeout = \"5ms\"", "timeout = \"1s\"").is_ok());
}

#[test]
fn mistakes_are_shown_with_their_line() {
    let cases = [
        (
            "\"3.9us\"",
            "\"3.9\"",
            "expected a unit out of ns, us, ms, s",
        ),
        ("tx_call = ", "tx_cal = ", "unknown field `tx_cal`"),
        ("value = 1,", "value = 3,", "expected 1 (shared) or 2"),
        (
            "send_slots = 2",
            "send_slots = 0",
            "expected a whole number, 1 to 65536, found 0",
        ),
        ("\"37MHz\"", "\"0Hz\"", "expected more than 0 Hz"),
        (
            "send_slots = 2",
            "send_slots = '2'",
            "expected a whole number, 1 to 65536, found \"2\"",
        ),
        (
            "send_slots = 2",
            "send_slots = 1.5",
            "expected a whole number, 1 to 65536, found 1.5",
        ),
        (
            "max_packet = \"9216B\"",
            "max_packet = \"x\"",
            "expected a number with its unit, as in \"4KiB\", found \"x\"",
        ),
        (
            "max_packet = \"9216B\"",
            "max_packet = 9216",
            "expected a number with its unit, in quotes, as in \"4KiB\", found 9216",
        ),
        (
            "[wire]",
            "[placement.RO]\nsend-ack = 0.5\n[wire]",
            "invalid type: floating point `0.5`, expected the number of a processor, from 0 on",
        ),
        (
            "[wire]",
            "[placement.RO]\nsend-ack = -1\n[wire]",
            "invalid value: integer `-1`, expected the number of a processor, from 0 on",
        ),
        (
            "send_slots = 2",
            "send_slots = true",
            "invalid type: boolean `true`, expected 1 to 65536, alone or as { value = …, from = … }",
        ),
        (
            "paper S1-37",
            "paper S1-99",
            "`from` names `S1-99`, which is no statement of docs/papers.md",
        ),
        (
            "paper S1-37",
            "measured",
            "`from` is `measured`: write `paper`, `fitted` or `scaled` and a statement",
        ),
        (
            "value = \"3.9us\", from",
            "value = \"3.9us\", form",
            "unknown field `form`, expected `value` or `from`",
        ),
        (
            "{ value = \"3.9us\", from",
            "{ from",
            "missing field `value`",
        ),
    ];
    for (right, wrong, expected) in cases {
        let text = lanai().replacen(right, wrong, 1);
        assert_ne!(text, lanai(), "{wrong}");
        let shown = Profile::parse(&text).unwrap_err().to_string();
        assert!(
            shown.contains(expected) && shown.contains("line "),
            "{shown}"
        );
    }
}

const LMMC: &str = include_str!("../../profiles/lmmc-1997.toml");

#[test]
fn pages_of_lmmc_fit_the_packets_and_the_links_lose_nothing() {
    let with = |from: &str, to: &str| {
        let text = LMMC.replacen(from, to, 1);
        assert_ne!(text, LMMC, "{from}");
        Profile::parse(&text).map_err(|error| error.to_string())
    };
    assert_eq!(
        with("page = \"4KiB\"", "page = \"4095B\"").unwrap_err(),
        "`lmmc.page` is 4095 bytes: write a power of two"
    );
    assert_eq!(
        with("page = \"4KiB\"", "page = \"0B\"").unwrap_err(),
        "`lmmc.page` is 0 bytes: write a power of two"
    );
    // A header has 16 bytes (`nic_core::lmmc::message`).
    assert_eq!(
        with("max_packet = \"4112B\"", "max_packet = \"4111B\"").unwrap_err(),
        "`lmmc.page` is 4096 bytes and a message has 16 more, but `memory.max_packet` is 4111: make a whole page fit"
    );
    assert!(with("page = \"4KiB\"", "page = \"64B\"").is_ok());
    let text = LMMC.replacen("flow = \"stop\"", "flow = \"hold\"", 1);
    let start = text.find("buffer = ").unwrap();
    let end = start + text[start..].find('\n').unwrap();
    let error = Profile::parse(&text.replace(&text[start..end], "")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`[lmmc]` needs links that hold what a stopped receiver does not take: write `wire.flow = \"stop\"` and \
         `wire.buffer`"
    );
    for (key, form) in [("ports", "1 to 65536"), ("frames", "1 to 65536")] {
        let start = LMMC.find(&format!("\n{key} = ")).unwrap() + 1;
        let end = start + LMMC[start..].find(['#', '\n']).unwrap();
        let error = with(&LMMC[start..end], &format!("{key} = 0 ")).unwrap_err();
        assert!(error.contains(form) && error.contains("found 0"), "{error}");
        assert!(with(&LMMC[start..end], &format!("{key} = 65536 ")).is_ok());
    }
    let error = with("victim = \"fifo\"", "victim = \"oldest\"").unwrap_err();
    assert!(error.contains("expected \"fifo\" or \"clock\""), "{error}");
}

/// A sensitivity analysis moves a page by 5 %, which is no page.
#[test]
fn a_page_moves_to_no_other_length() {
    let lmmc = Profile::builtin("lmmc-1997").unwrap();
    let moves = lmmc.moves();
    let of = |path: &str| {
        moves
            .iter()
            .filter(|moved| moved.key.path() == path)
            .count()
    };
    assert_eq!(
        (of("lmmc.page"), of("lmmc.frames"), of("lmmc.victim")),
        (0, 2, 1)
    );
}
