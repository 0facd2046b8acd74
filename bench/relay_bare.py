"""The least a relay can be: FastAPI and asyncpg, no checks, no history, nothing kept. And the seed's own design: a row
per message, polled each second with skip locked, a transaction per step."""

import asyncio
import json
import os
import socket
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx2
import uvicorn
import uvloop
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from bench.peers.words import main, say
from pabal.base.sql import load

SQL = load(__file__)
POLL_SECONDS = 1.0


async def install(url: str) -> dict[str, Any]:
    connection = await asyncpg.connect(url)
    await connection.execute(SQL.install.text)
    await connection.close()
    return {}


class Bare:
    """`polls`: as the seed has it; otherwise as quick as these parts can."""

    def __init__(self, pool: asyncpg.Pool, accounts: int, *, polls: bool) -> None:
        self.pool, self.accounts, self.polls = pool, accounts, polls
        self.client = httpx2.AsyncClient(timeout=5)
        self.queues: dict[str, asyncio.Queue[dict[str, str]]] = defaultdict(asyncio.Queue)
        self.tasks: set[asyncio.Task[None]] = set()

    async def webhook(self, request: Request) -> Response:
        asked = (await request.json())["userRequest"]
        user = asked["user"]["properties"]["plusfriendUserKey"]
        account = f"token{int(user.removeprefix('user')) % self.accounts}"
        given = (account, user, asked["utterance"], asked["callbackUrl"])
        if self.polls:
            async with self.pool.acquire() as connection, connection.transaction():
                await connection.execute(SQL.insert_plain.text, *given)
        else:
            await self.pool.fetch(_INSERT, *given)
        return JSONResponse({"version": "2.0", "useCallback": True})

    async def events(self, request: Request) -> Response:
        account = request.headers["Authorization"].removeprefix("Bearer ")
        made = self._poll(account) if self.polls else self._follow(account)
        return StreamingResponse(made, media_type="text/event-stream")

    async def _follow(self, account: str) -> AsyncIterator[str]:
        queue = self.queues[account]
        yield _frame("connected", {})
        while True:
            yield _message(await queue.get())

    async def _poll(self, account: str) -> AsyncIterator[str]:
        yield _frame("connected", {})
        while True:
            async with self.pool.acquire() as connection, connection.transaction():
                found = await connection.fetch(SQL.poll.text, account, 20)
                if found:
                    await connection.execute(SQL.deliver.text, [row["uid"] for row in found])
            for row in found:
                yield _message({"uid": str(row["uid"]), "text": row["text"]})
            if not found:
                await asyncio.sleep(POLL_SECONDS)

    async def reply(self, request: Request) -> Response:
        body = await request.json()
        if self.polls:
            await self._call_back(body["messageId"], body["response"])
        else:
            task = asyncio.create_task(self._call_back(body["messageId"], body["response"]))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        return JSONResponse({"success": True})

    async def _call_back(self, uid: str, response: Any) -> None:
        statement = SQL.find.text if self.polls else SQL.take.text
        url = await self.pool.fetchval(statement, uid)
        answer = await self.client.post(url, json=response)
        if answer.json()["status"] == "SUCCESS":
            await self.pool.execute(SQL.ack.text, uid)

    def heard(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        said = json.loads(str(payload))
        if said["account"] in self.queues:
            self.queues[said["account"]].put_nowait(said)


_INSERT = SQL.insert.text


def _message(said: dict[str, str]) -> str:
    return _frame("message", {"id": said["uid"], "normalized": {"text": said["text"]}})


def _frame(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


async def serve(url: str, accounts: float, kind: str) -> dict[str, Any]:
    """Until it is killed."""
    pool = await asyncpg.create_pool(url, min_size=5, max_size=10)
    bare = Bare(pool, int(accounts), polls=kind == "seed")
    listening = await asyncpg.connect(url)
    await listening.add_listener("bare", bare.heard)
    app = FastAPI()
    app.add_api_route("/kakao/webhook", bare.webhook, methods=["POST"], response_model=None)
    app.add_api_route("/v1/events", bare.events, methods=["GET"], response_model=None)
    app.add_api_route("/openclaw/reply", bare.reply, methods=["POST"], response_model=None)
    door = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
    say(pid=os.getpid(), address=f"http://127.0.0.1:{door.getsockname()[1]}")
    await server.serve(sockets=[door])
    return {}


if __name__ == "__main__":
    main({"install": install, "serve": serve}, uvloop.run)
