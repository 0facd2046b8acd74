"""The outside of a run: Telegram, a webhook's receiver and an object store, each behind a cable that can be cut.

From a server's side a cut is a service that was killed: connections end in the middle of whatever they carried, and
nobody listens until it is mended. What had arrived stays known, as with a service that keeps it on disk.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Any, cast

import uvicorn

from chaos.history import History
from pabal.platform.notifications.simulator import BotApi, Received

HOST = "127.0.0.1"
Scope, Receive, Send = MutableMapping[str, Any], Callable[[], Any], Callable[[Any], Any]


class Cable:
    def __init__(self, port: int, to: int) -> None:
        self._port, self._to = port, to
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def mend(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._carry, HOST, self._port)

    def cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._open:
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(HOST, self._to)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, back}
        ways = [asyncio.create_task(_pump(reader, back)), asyncio.create_task(_pump(there, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for one in (writer, back):
            one.transport.abort()
            self._open.discard(one)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


class Chat(BotApi):
    """Writes down each message when it is there, and each edit."""

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history

    async def _keep(self, bot_id: int, given: dict[str, Any], text: str, receive: Any) -> dict[str, Any]:
        answer = await super()._keep(bot_id, given, text, receive)
        made: Received = self.received[-1]
        data = [one[1] for row in made.buttons for one in row]
        self._history.write("card", message=made.message_id, text=text, data=data)
        return answer

    def _edit(self, bot_id: int, given: dict[str, Any]) -> dict[str, Any]:
        answer = super()._edit(bot_id, given)
        self._history.write("edited", message=int(given["message_id"]), text=str(given["text"]))
        return answer


class Receiver:
    """Of webhooks. `told`: what they were about."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.told: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        given = {"attempt": int(headers["pabal-attempt"]), "digest": hashlib.sha256(body).hexdigest()}
        self._history.write("hook", id=headers["webhook-id"], text=body.decode(), **given)
        self.told.add(str(json.loads(body)["data"].get("about") or ""))
        await _answer(send, 200)


class Bucket:
    """As much of S3 as a file of one part needs: put, copy, get, head, delete, list."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, path = await _read(receive), str(scope["path"])
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        match scope["method"]:
            case "PUT":
                source = headers.get("x-amz-copy-source")
                self.objects[path] = body if source is None else self.objects["/" + source.lstrip("/")]
                tag = hashlib.md5(self.objects[path], usedforsecurity=False).hexdigest()
                done = (
                    f'<CopyObjectResult><ETag>"{tag}"</ETag><LastModified>{_MOMENT}</LastModified></CopyObjectResult>'
                )
                await _answer(send, 200, done.encode() if source else b"", etag=tag)
            case "GET" if "list-type" in scope["query_string"].decode():
                await _answer(send, 200, self._list())
            case "GET" | "HEAD" if path in self.objects:
                await _answer(send, 200, self.objects[path], etag="x", is_head=scope["method"] == "HEAD")
            case "DELETE":
                self.objects.pop(path, None)
                await _answer(send, 204)
            case "POST" if scope["query_string"].startswith(b"delete"):
                keys = re.findall(r"<Key>(.*?)</Key>", body.decode())
                for key in keys:
                    self.objects.pop(f"{path.rstrip('/')}/{key}", None)
                gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
                await _answer(send, 200, f"<DeleteResult>{gone}</DeleteResult>".encode())
            case _:
                await _answer(send, 404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _list(self) -> bytes:
        rows = "".join(
            f"<Contents><Key>{path.split('/', 2)[2]}</Key><Size>{len(content)}</Size>"
            f"<LastModified>{_MOMENT}</LastModified><ETag>x</ETag></Contents>"
            for path, content in sorted(self.objects.items())
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>".encode()


_MOMENT = "2026-01-01T00:00:00.000Z"


async def _read(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def _answer(send: Send, status: int, body: bytes = b"", *, etag: str = "", is_head: bool = False) -> None:
    headers = [(b"content-length", str(len(body)).encode()), (b"last-modified", b"Thu, 01 Jan 2026 00:00:00 GMT")]
    headers += [(b"etag", f'"{etag}"'.encode())] if etag else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else body})


async def serve(app: object, port: int) -> None:
    """Until it is cancelled. Signals are the process's business."""
    config = uvicorn.Config(cast("Any", app), host=HOST, port=port, log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals  # type: ignore[method-assign]  # as above
    await server.serve()


class _no_signals:  # noqa: N801 -- stands for a function
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
