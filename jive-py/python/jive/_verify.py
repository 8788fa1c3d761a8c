"""Verdicts on class files."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

from . import _jive


class Verdict:
    """Whether a class may run on the NIC, what it can do at most, or what is wrong with it."""

    def __init__(self, found: Dict[str, Any], text: Optional[str]) -> None:
        self._found = found
        #: The diagnoses as `jive verify` shows them; None if the class is accepted.
        self.text: Optional[str] = text

    @property
    def accepted(self) -> bool:
        """Whether the class may run."""
        return self._found["verdict"] == "accepted"

    @property
    def code(self) -> Optional[str]:
        """The stable code of the first fault, such as "unsafe/type-mismatch"; None if the class is accepted."""
        return self._found.get("code")

    @property
    def faults(self) -> List[Dict[str, Any]]:
        """All faults, each with its code, message and place."""
        return self._found.get("rejections", [])

    def as_dict(self) -> Dict[str, Any]:
        """The verdict as `jive verify --format json` prints it."""
        return self._found

    def __bool__(self) -> bool:
        return self.accepted

    def __repr__(self) -> str:
        if self.accepted:
            return f"<jive.Verdict accepted {self._found['class']}>"
        return f"<jive.Verdict {self.code}>"


def verify(data: bytes, *, name: str = "class", class_only: bool = False) -> Verdict:
    """Judges the bytes of a class file, which messages call `name`.

    `class_only` judges the class alone, without the members that every applet has.
    """
    found, text = _jive.verify(bytes(data), name, class_only)
    return Verdict(json.loads(found), text)
