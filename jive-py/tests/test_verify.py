"""`jive.verify`: verdicts and diagnoses are those of the command."""

import json

import jive
import pytest


def test_an_accepted_class_says_what_it_can_do(here, command, raw_unet):
    verdict = jive.verify(raw_unet, name="Sender.class")
    assert verdict and verdict.accepted
    assert (verdict.code, verdict.text, verdict.faults) == (None, None, [])
    ended = command("verify", "--format", "json", "Sender.class")
    found = json.loads(ended.stdout)
    assert found.pop("file") == "Sender.class"
    assert verdict.as_dict() == found


@pytest.mark.parametrize("length", [0, 3, 40, 400, -3])
def test_a_rejected_class_has_the_diagnoses_of_the_command(here, command, raw_unet, length):
    (here / "Cut.class").write_bytes(raw_unet[:length])
    verdict = jive.verify(raw_unet[:length], name="Cut.class")
    assert not verdict
    shown = command("verify", "Cut.class")
    assert (verdict.text.strip(), shown.returncode) == (shown.stdout.strip(), 1)
    found = json.loads(command("verify", "--format", "json", "Cut.class").stdout)
    assert (verdict.code, verdict.faults) == (found["code"], found["rejections"])


def test_bytes_of_any_kind_are_judged():
    assert jive.verify(bytearray(b"\xca\xfe\xba\xbe")).code.startswith("malformed/")
    with pytest.raises(TypeError):
        jive.verify("no bytes")
