"""What every client program does alike: it is told what to do, one line of JSON each, and says what came of it, one line of JSON each."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

Answer = dict[str, object]


async def answer(tools: Callable[[], Awaitable[list[str]]], call: Callable[[str, dict], Awaitable[Answer]]) -> None:
    """Goes on over failures: whether the session does is what the tests want to know."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        told = json.loads(line)
        try:
            said = {"tools": await tools()} if told["name"] is None else await call(told["name"], told["arguments"])
        except Exception as error:
            said = {"raised": "; ".join(words_of(error))}
        print(json.dumps(said), flush=True)


def words_of(error: BaseException) -> list[str]:
    """A group of failures hides what they are."""
    if isinstance(error, BaseExceptionGroup):
        return [words for one in error.exceptions for words in words_of(one)]
    return [f"{type(error).__name__}: {error}"]
