"""Tables as frames of the library that is there."""

from __future__ import annotations

import importlib
import json
from typing import Any, Dict, Iterable, List, Optional

#: A frame of pandas or polars, or a list of dicts.
Frame = Any

#: "pandas", "polars" or "dicts"; None takes the first of them that is there.
Kind = Optional[str]

Row = Dict[str, Any]


def frame(rows: List[Row], kind: Kind = None, columns: Iterable[str] = ()) -> Frame:
    """Returns rows as a frame. `columns` come first, and are there even if no row has them."""
    names = dict.fromkeys(columns)
    for row in rows:
        names.update(dict.fromkeys(row))
    if kind is None:
        kind = next(kind for kind in ("pandas", "polars", "dicts") if _is_there(kind))
    if kind == "dicts":
        return [{name: row.get(name) for name in names} for row in rows]
    if kind == "pandas":
        import pandas

        found = pandas.DataFrame(rows, columns=list(names))
        # Whole numbers of a column that some rows do not have would become fractions.
        for name in names:
            values = [row[name] for row in rows if row.get(name) is not None]
            if 0 < len(values) < len(rows) and all(type(value) is int for value in values):
                found[name] = pandas.array([row.get(name) for row in rows], dtype="Int64")
        return found
    if kind == "polars":
        import polars

        # A column may begin with thousands of rows that have nothing in it, so all rows decide about its type.
        data = {name: [row.get(name) for row in rows] for name in names}
        return polars.DataFrame(data, strict=False, infer_schema_length=None)
    raise ValueError(f'expected "pandas", "polars" or "dicts", found {kind!r}')


def json_lines(text: "str | bytes") -> List[Row]:
    """Reads JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


def flat(row: Row, prefix: str = "") -> Row:
    """Returns a row whose inner objects are columns with dotted names."""
    columns: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            columns.update(flat(value, f"{prefix}{name}."))
        else:
            columns[prefix + name] = value
    return columns


def _is_there(kind: str) -> bool:
    if kind == "dicts":
        return True
    try:
        importlib.import_module(kind)
    except ImportError:
        return False
    return True
