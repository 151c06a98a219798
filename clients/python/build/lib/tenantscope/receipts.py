"""Compares the rows that a receiver stored with the receipts of the audit log."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .packs import _canonical, _sha256
from .pages import Page

Line = bytes | str

_HOUR = len("2026-11-01T00")
_DAY = len("2026-11-01")
_HOURS_AT_ONCE = 24


class Reader(Protocol):
    def list_log_receipts(self, *, from_: Any = None, to: Any = None, tenant: str | None = None) -> list[Any]: ...
    def list_logs(self, **parameters: Any) -> Page[Any]: ...


@dataclass(frozen=True)
class Difference:
    """kind: removed, altered or added, of a row; unnamed, of an hour whose rows the service no longer has; receipt, of a day."""

    kind: str
    hour: str
    id: str | None = None


@dataclass(frozen=True)
class Verification:
    """rows: those of the compared receipts. uncompared: rows with other members than their receipt, of which ids alone are compared."""

    rows: int
    differences: list[Difference]
    uncompared: int


class _Hour:
    def __init__(self) -> None:
        self.count, self.ids, self.rows = 0, hashlib.sha256(), hashlib.sha256()

    def add(self, row: Mapping[str, Any], line: bytes) -> None:
        self.count += 1
        self.ids.update(row["id"].encode() + b"\n")
        self.rows.update(line + b"\n")

    def has_ids(self, expected: Mapping[str, Any]) -> bool:
        return (self.count, self.ids.hexdigest()) == (expected["rowCount"], expected["idsSha256"])


def verify_receipts(
    client: Reader, read_lines: Callable[[], Iterable[Line]], *, start: str | None = None, tenant: str | None = None
) -> Verification:
    """Finds the stored rows that differ from those of the complete days.

    read_lines: returns the stored rows, one JSON text each, in any order; called again for hours that differ. Rows may be repeated.
    start: the first hour that was stored. Default: the hour of the first row.
    """
    hours: dict[str, _Hour] = {}
    for row, line in _read(read_lines()):
        hours.setdefault(row["discoveredAt"][:_HOUR], _Hour()).add(row, line)
    first = start[:_HOUR] if start is not None else min(hours, default=None)
    if first is None:
        raise ValueError("There is no row. Give start, the first hour that was stored.")
    receipts = client.list_log_receipts(from_=f"{first}:00:00Z", tenant=tenant)
    differences = list(_check_chain(receipts))
    expected = {
        hour["hour"][:_HOUR]: hour | {"layout": receipt["layout"]} for receipt in receipts for hour in receipt["hours"]
    }
    days = {receipt["day"] for receipt in receipts}
    compared = sorted(hour for hour in expected.keys() | hours.keys() if hour >= first and hour[:_DAY] in days)
    differing = [hour for hour in compared if not _is_equal(hours.get(hour), expected.get(hour))]
    uncompared = 0
    for at in range(0, len(differing), _HOURS_AT_ONCE):
        group = differing[at : at + _HOURS_AT_ONCE]
        stored: dict[str, dict[str, dict[str, Any]]] = {hour: {} for hour in group}
        altered: dict[str, set[str]] = {hour: set() for hour in group}
        for row, _ in _read(read_lines()):
            hour = row["discoveredAt"][:_HOUR]
            if hour not in stored:
                continue
            if stored[hour].setdefault(row["id"], row) != row:
                altered[hour].add(row["id"])
        for hour in group:
            found, skipped = _compare(client, hour, stored[hour], altered[hour], expected.get(hour), tenant)
            differences += found
            uncompared += skipped
    rows = sum(expected[hour]["rowCount"] for hour in compared if hour in expected)
    return Verification(rows, differences, uncompared)


def _read(lines: Iterable[Line]) -> Iterator[tuple[dict[str, Any], bytes]]:
    for line in lines:
        text = (line.encode() if isinstance(line, str) else line).rstrip(b"\r\n")
        row = json.loads(text) if text else {}
        # The last line of a page has the pagination alone.
        if "id" in row:
            yield row, text


def _is_equal(own: _Hour | None, expected: Mapping[str, Any] | None) -> bool:
    if own is None or expected is None:
        return False
    return own.has_ids(expected) and own.rows.hexdigest() == expected["rowsSha256"]


def _check_chain(receipts: list[Any]) -> Iterator[Difference]:
    previous = None
    for receipt in receipts:
        content = {name: value for name, value in receipt.items() if name != "sha256"}
        follows = previous is None or receipt["previousSha256"] == previous["sha256"]
        if not follows or _sha256(_canonical(content)) != receipt["sha256"]:
            yield Difference("receipt", receipt["day"])
        previous = receipt


def _compare(
    client: Reader,
    hour: str,
    stored: Mapping[str, Any],
    altered: set[str],
    expected: Mapping[str, Any] | None,
    tenant: str | None,
) -> tuple[list[Difference], int]:
    """The service returns the rows of the hour; they are those of the receipt if their ids are."""
    served, own = _Hour(), {}
    for row in _read_hour(client, hour, tenant) if expected is not None else ():
        served.add(row, b"")
        own[row["id"]] = row
    if expected is not None and not served.has_ids(expected):
        return [Difference("unnamed", hour)], 0
    differences = [Difference("removed", hour, id) for id in own if id not in stored]
    uncompared = 0
    for id, row in stored.items():
        if id not in own or expected is None:
            differences.append(Difference("added", hour, id))
        elif id in altered or _is_altered(row, own[id], expected["layout"]):
            differences.append(Difference("altered", hour, id))
        elif not _is_comparable(row, own[id], expected["layout"]):
            uncompared += 1
    return differences, uncompared


def _is_comparable(row: Mapping[str, Any], own: Mapping[str, Any], layout: str) -> bool:
    return row.keys() == own.keys() or _sha256(",".join(row)) == layout


def _is_altered(row: Mapping[str, Any], own: Mapping[str, Any], layout: str) -> bool:
    """A row with the members of its receipt is compared by these: the service may send further ones since."""
    return _is_comparable(row, own, layout) and any(own.get(name) != value for name, value in row.items())


def _read_hour(client: Reader, hour: str, tenant: str | None) -> Iterator[dict[str, Any]]:
    bounds = {"discoveredFrom": f"{hour}:00:00.000Z", "discoveredTo": f"{hour}:59:59.999Z"}
    window: dict[str, Any] = {**bounds, "sort": "discoveredAtAsc", "limit": 1000}
    while True:
        page = client.list_logs(**window, tenant=tenant)
        yield from page.rows
        if not page.pagination["hasMore"]:
            return
        window = {"cursor": page.pagination["nextCursor"]}
