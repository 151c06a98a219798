"""Pages of lists, and lists that are followed from a stored position."""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from .requester import Parameter, Requester, Values

Row = TypeVar("Row")


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: list[Row]
    pagination: dict[str, Any]


def read_page(body: Mapping[str, Any]) -> Page[Any]:
    return Page(body["data"], body["pagination"])


class PositionFile:
    """Stores where a list is continued. Cursors of another request are refused. One process at a time uses it."""

    def __init__(self, path: str | os.PathLike[str]):
        self._path = Path(path)

    def read(self, request: Mapping[str, Any]) -> str | None:
        try:
            stored = json.loads(self._path.read_text("utf-8"))
            if stored["request"] != request:
                raise ValueError(f"{self._path} continues another request: {stored['request']}. Use one file for each.")
            return str(stored["cursor"])
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{self._path} is not a file of a position. Name another file, or delete it.") from error

    def write(self, request: Mapping[str, Any], cursor: str) -> None:
        """Returns when the file is on the disk. A crash leaves the previous or the new content, never a part."""
        following = self._path.with_name(self._path.name + ".next")
        with open(os.open(following, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump({"request": request, "cursor": cursor}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(following, self._path)
        with contextlib.closing(_Directory(self._path.parent)) as directory:
            os.fsync(directory.descriptor)


class _Directory:
    def __init__(self, path: Path):
        self.descriptor = os.open(path, os.O_RDONLY)

    def close(self) -> None:
        os.close(self.descriptor)


def follow(
    request: Requester,
    path: str,
    parameters: Mapping[str, Parameter | Values],
    position: PositionFile | None,
    interval: float | None,
    tenant: str | None,
) -> Iterator[Page[Any]]:
    """The position of a page is stored when the next one is requested, so that its rows are at least once with the caller."""
    given = {name: str(value) for name, value in parameters.items() if value is not None}
    identity = {"url": request.url, "path": path, "tenant": tenant, "parameters": given}
    cursor = None if position is None else position.read(identity)
    while True:
        page = read_page(request(path, parameters if cursor is None else {"cursor": cursor}, tenant))
        if page.rows:
            yield page
        cursor = page.pagination["resumeCursor"]
        if position is not None:
            position.write(identity, cursor)
        if page.pagination["hasMore"]:
            continue
        if interval is None:
            return
        time.sleep(interval)
