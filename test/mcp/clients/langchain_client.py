"""LangChain tools as its agents get them. Arguments: MCP URL, API key, tenant id, one session for `all` calls or one for `each`."""

import asyncio
import sys

from calls import Result, run_calls
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


async def main(url: str, key: str, tenant_id: str, session_for: str) -> None:
    headers = {"Authorization": f"Bearer {key}", "X-Tenant-Id": tenant_id}
    client = MultiServerMCPClient({"tenantscope": {"transport": "streamable_http", "url": url, "headers": headers}})
    if session_for == "each":
        await run_with(await client.get_tools())
        return
    async with client.session("tenantscope") as session:
        await run_with(await load_mcp_tools(session))


async def run_with(loaded: list[BaseTool]) -> None:
    by_name = {tool.name: tool for tool in loaded}

    async def tools() -> list[str]:
        return list(by_name)

    async def call(name: str, arguments: dict) -> Result:
        """What a model receives: a message with text blocks."""
        given = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
        message: ToolMessage = await by_name[name].ainvoke(given)
        structured = (message.artifact or {}).get("structured_content")
        return {"isError": message.status == "error", "text": str(message.text), "structured": structured}

    await run_calls(tools, call)


asyncio.run(main(*sys.argv[1:]))
