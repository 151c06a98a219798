"""Shared by the client programs: reads one call per line of JSON and prints its result as one line of JSON."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable

Result = dict[str, object]


async def run_calls(tools: Callable[[], Awaitable[list[str]]], call: Callable[[str, dict], Awaitable[Result]]) -> None:
    """Continues after failures: the tests check whether the session does."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        try:
            if request["name"] is None:
                result = {"tools": await tools()}
            else:
                result = await call(request["name"], request["arguments"])
        except Exception as error:
            result = {"raised": "; ".join(messages_of(error))}
        print(json.dumps(result), flush=True)


def messages_of(error: BaseException) -> list[str]:
    """The messages of an error; an exception group hides those of its members."""
    if isinstance(error, BaseExceptionGroup):
        return [message for one in error.exceptions for message in messages_of(one)]
    return [f"{type(error).__name__}: {error}"]
