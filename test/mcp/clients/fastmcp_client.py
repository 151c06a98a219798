"""A fastmcp client. Arguments: MCP URL, API key, tenant id, protocol mode."""

import asyncio
import sys

from calls import Result, run_calls
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main(url: str, key: str, tenant_id: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {key}", "X-Tenant-Id": tenant_id}
    async with Client(StreamableHttpTransport(url, headers=headers), mode=mode, timeout=20) as client:

        async def tools() -> list[str]:
            return [tool.name for tool in await client.list_tools()]

        async def call(name: str, arguments: dict) -> Result:
            result = await client.call_tool(name, arguments, raise_on_error=False)
            text = "".join(block.text for block in result.content)
            return {"isError": result.is_error, "text": text, "structured": result.structured_content}

        await run_calls(tools, call)


asyncio.run(main(*sys.argv[1:]))
