//! What NICs that differ refuse: profiles that contradict themselves, and applets of another NIC.

use std::fs;

use crate::process::Ended;
use crate::{classes, jive_in, words};

/// A scenario on NICs with this profile, with keys of the second NIC and of its endpoint.
fn scenario(profile: &str, nic: &str, endpoint: &str) -> String {
    format!(
        "profile = \"{profile}\"\n[[nic]]\nname = \"a\"\n[[nic]]\nname = \"b\"\n{nic}\n\
         [[link]]\nbetween = [\"a\", \"b\"]\n[[endpoint]]\nname = \"client\"\nnic = \"a\"\n\
         [[endpoint]]\nname = \"server\"\nnic = \"b\"\n{endpoint}\n[[channel]]\nclient = 1\nserver = 1\n\
         [[send]]\nendpoint = \"client\"\nchannel = 1\nat = \"1us\"\npayload = {{ count = 100 }}\n\
         [[send]]\nendpoint = \"server\"\nchannel = 1\nat = \"2ms\"\npayload = {{ count = 100 }}\n"
    )
}

/// Runs a scenario beside the classes of the tests, and returns its status and all that it prints.
fn run(text: &str) -> (i32, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let class = "DirectHostile.class";
    let tests = classes().join("../../../nic-runtime/tests/classes");
    fs::copy(tests.join(class), directory.path().join(class)).expect("it is committed");
    fs::write(directory.path().join("x.toml"), text).expect("written");
    let Ended { status, out, err } = jive_in(directory.path(), words("run x.toml"), b"");
    (status, out + &err)
}

#[test]
fn an_applet_of_another_nic_is_refused_with_its_line() {
    let of = |profile, applet: &str| {
        run(&scenario(
            profile,
            "",
            &format!("applet = \"builtin:{applet}\""),
        ))
    };
    let (status, shown) = of("lanai-1998", "WindowBarrier");
    assert_eq!(status, 1, "{shown}");
    for part in [
        "error[applet/native-not-offered]: the profile `lanai-1998` does not offer `windowWrite`",
        "(WindowBarrier.java:144)",
        "`windowWrite` needs a NIC with `windows`; built-in profiles that have it: `clan-programmable`",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let (status, shown) = of("lanai-1998-direct", "RawUnet");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("error[applet/unset-rx-buf]"), "{shown}");
    let (status, shown) = of("lanai-1998", "DirectUnet");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("error[applet/missing-member]"), "{shown}");
    assert!(
        shown.contains("use it on one, such as `lanai-1998-direct`"),
        "{shown}"
    );
}

#[test]
fn verify_asks_a_profile_beforehand() {
    let verify = |rest: &str| {
        let Ended { status, out, err } = jive_in(&classes(), words(&format!("verify {rest}")), b"");
        (status, out + &err)
    };
    let (status, shown) = verify("--profile lanai-1998 builtin:RawUnet");
    assert!(status == 0 && shown.starts_with("ok: "), "{shown}");
    let (status, shown) = verify("--profile lanai-1998-direct builtin:DirectFirewall");
    assert!(status == 0 && shown.starts_with("ok: "), "{shown}");
    let (status, shown) = verify("--profile lanai-1998 --format json builtin:WindowBarrier");
    let verdict = serde_json::from_str::<serde_json::Value>(&shown).expect("one object");
    assert_eq!(status, 1);
    assert_eq!(verdict["code"], "applet/native-not-offered");
    assert_eq!(verdict["line"], 144);
    assert_eq!(verdict["rejections"].as_array().map(Vec::len), Some(2));
    let (status, shown) = verify("--profile clan-2001 builtin:RawUnet");
    assert_eq!(status, 2, "{shown}");
    assert!(
        shown.contains("`clan-2001` has no section `[entry]`"),
        "{shown}"
    );
    let (status, shown) = verify("--profile lanai-1998 builtin:DirectCounter");
    assert_eq!(status, 1, "{shown}");
    assert!(
        shown.contains("use it on one, such as `lanai-1998-direct`"),
        "{shown}"
    );
    let (status, shown) = verify("--profile nowhere builtin:RawUnet");
    assert_eq!(status, 2, "{shown}");
}

#[test]
fn natives_of_an_arrival_trap_where_there_is_none() {
    for (kind, cause) in [
        (1, "the call handles no packet in a free buffer"),
        (
            3,
            "offset 0, length 101, the NIC keeps 100 bytes of the packet",
        ),
    ] {
        let keys = format!("applet = \"DirectHostile.class\"\nstate = {{ KIND = {kind} }}");
        let (_, shown) = run(&scenario("lanai-1998-direct", "", &keys));
        assert!(shown.contains("ProtectionFault"), "{shown}");
        assert!(shown.contains(cause), "{cause}: {shown}");
    }
}

#[test]
fn a_profile_that_contradicts_itself_says_where() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let own = |name: &str| {
        let path = classes().join(format!("../../../nic-runtime/profiles/{name}.toml"));
        fs::read_to_string(path).expect("it is committed")
    };
    let name =
        |text: &str, keys: &str| text.replacen("\n[processor]", &format!("{keys}\n[processor]"), 1);
    for (profile, part) in [
        (
            name(&own("lanai-1998"), "natives = [\"dma\", \"teleport\"]\n"),
            "`natives` lists \"teleport\", which no native needs",
        ),
        (
            name(&own("lanai-1998"), "natives = [\"windows\"]\n"),
            "windows need the section `[clan]`",
        ),
        (
            name(&own("lanai-1998"), "natives = [\"direct\"]\n"),
            "the key `receive` says where the NIC receives",
        ),
        (
            name(&own("lanai-1998"), "receive = \"sideways\"\n"),
            "expected \"staged\" or \"direct\"",
        ),
        (
            name(&own("lanai-1998"), "receive = \"direct\"\n"),
            "needs `nic.header`",
        ),
        (
            own("lanai-1998-direct").replace("receive = \"direct\"\n", ""),
            "`nic.header` is for `receive = \"direct\"`",
        ),
        (
            own("lanai-1998-direct").replace("\"128B\"", "\"9217B\""),
            "a packet has 9216 at most",
        ),
    ] {
        fs::write(directory.path().join("p.toml"), profile).expect("written");
        let text = scenario("./p.toml", "", "");
        fs::write(directory.path().join("x.toml"), text).expect("written");
        let Ended { status, err, .. } = jive_in(directory.path(), words("run x.toml"), b"");
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(part), "{part}: {err}");
    }
}

#[test]
fn loops_need_processors_and_locks_need_two() {
    let crowded = "processors = 2\n[[host]]\nnic = \"b\"\nprocessors = 1";
    let (status, shown) = run(&scenario("unet-host-1998", crowded, ""));
    assert_eq!(status, 2, "{shown}");
    assert!(
        shown.contains("x.toml:") && shown.contains("processors"),
        "{shown}"
    );
    let (status, shown) = run(&scenario("tigon2-2002-locks", "", "interface = \"emp\""));
    assert_eq!(status, 2, "{shown}");
    assert!(
        shown.contains("x.toml:") && shown.contains("semaphore"),
        "{shown}"
    );
}
