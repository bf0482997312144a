"""Lists and calls tools with Python's official client, and prints what it got as JSON."""

import asyncio
import json
import os

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def main() -> None:
    headers = {"Authorization": f"Bearer {os.environ['TOLLGATE_KEY']}"}
    url = f"{os.environ['TOLLGATE_URL']}/mcp"
    progress = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        progress.append([done, total, message])

    async with create_mcp_http_client(headers=headers) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                started = await session.initialize()
                tools = await session.list_tools()
                added = await session.call_tool("weather__add", {"a": 2, "b": 3})
                slow = await session.call_tool(
                    "weather__slow", {"steps": 2}, progress_callback=on_progress
                )
                try:
                    await session.call_tool("weather__refuses", {})
                    refused = None
                except Exception as error:  # The class differs between versions.
                    refused = str(error)
    print(
        json.dumps(
            {
                "server": started.model_dump(by_alias=True)["serverInfo"]["name"],
                "tools": [tool.name for tool in tools.tools],
                "added": added.content[0].text,
                "slow": slow.content[0].text,
                "progress": progress,
                "refused": refused,
            }
        )
    )


asyncio.run(main())
