"""Those who do harm, in a process of their own: on the bots' port and on HTTP of this machine, for a while."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

import uvloop

from bench.peers.words import main, say
from pabal.base import open_files

HOST = "127.0.0.1"
MEGABYTE = 1024 * 1024
# Between one connection that was closed and the next of the same kind.
REST = 0.05

Harm = Callable[[asyncio.StreamReader, asyncio.StreamWriter, int], Awaitable[None]]


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    await reader.read()


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    await _drip(writer, _packet("handshake", {"botName": "drip", "version": "3.3.3", "deviceID": f"drip {number}"}))


async def brackets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    await _pour(writer, b'{"event":"message","data":{"x":[' + b"[]," * (MEGABYTE // 3) + b"[]]}}\n", times=4)
    await reader.read()


async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    await _pour(writer, b"x" * MEGABYTE, times=64)


async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    """Comes and goes."""


async def wrong(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    lines = (b"GET / HTTP/1.1\r\n", _packet("handshake", {"botName": ""}), _packet("handshake", {"x": 1}), b"{}\n")
    writer.write(lines[number % len(lines)])
    await reader.read()


async def chatter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    """A device nobody approved, which speaks as much as it is let."""
    who = {"botName": f"stranger{number}", "version": "3.3.3", "deviceID": f"stranger {number}"}
    writer.write(_packet("handshake", who))
    chat = {"room": "r", "channel_id": "1", "message_type": "text", "sender": "x", "text": "y" * 500}
    await _pour(writer, _packet("message", chat) * 100, times=1000)


async def slow_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    await _drip(writer, b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 4000)


async def slow_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    writer.write(_head("application/x-www-form-urlencoded", 100_000))
    await _drip(writer, b"login=" + b"x" * 100_000)


async def multipart(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"x" * MEGABYTE + b"\r\n"
    writer.write(_head("multipart/form-data; boundary=b", 300 * len(part)))
    await _pour(writer, part, times=300)
    await reader.read(MEGABYTE)


async def gets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
    while not reader.at_eof():
        writer.write(b"GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        length = [line for line in head.lower().splitlines() if line.startswith(b"content-length:")]
        await reader.readexactly(int(length[0].split(b":")[1]) if length else 0)
        await asyncio.sleep(0.2)


BOTS: tuple[Harm, ...] = (silent, drip, brackets, endless, flood, wrong, chatter)
WEB: tuple[Harm, ...] = (slow_headers, slow_body, multipart, gets, silent)


async def attack(bots_port: str, http_port: float, on_bots: float, on_http: float, seconds: float) -> dict[str, Any]:
    """So many connections at once on each port; one that is closed comes again."""
    open_files.allow()
    until = time.monotonic() + seconds
    opened: Counter[str] = Counter()
    harms = [(int(bots_port), harm) for harm in islice(cycle(BOTS), int(on_bots))]
    harms += [(int(http_port), harm) for harm in islice(cycle(WEB), int(on_http))]
    say(begun=len(harms))
    await asyncio.gather(*(_keep_on(port, harm, number, until, opened) for number, (port, harm) in enumerate(harms)))
    return {"opened": dict(opened)}


async def _keep_on(port: int, harm: Harm, number: int, until: float, opened: Counter[str]) -> None:
    while (left := until - time.monotonic()) > 0:
        with suppress(OSError, TimeoutError, EOFError, asyncio.LimitOverrunError):
            async with asyncio.timeout(left):
                reader, writer = await asyncio.open_connection(HOST, port)
                opened[harm.__name__] += 1
                try:
                    await harm(reader, writer, number)
                finally:
                    writer.transport.abort()
        await asyncio.sleep(REST)


async def _drip(writer: asyncio.StreamWriter, content: bytes) -> None:
    for byte in content:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.1)


async def _pour(writer: asyncio.StreamWriter, content: bytes, *, times: int) -> None:
    for _ in range(times):
        writer.write(content)
        await writer.drain()


def _packet(event: str, data: dict[str, Any]) -> bytes:
    return json.dumps({"event": event, "data": data}).encode() + b"\n"


def _head(media_type: str, length: int) -> bytes:
    lines = ("POST /sign-in HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {media_type}", f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode()


if __name__ == "__main__":
    main({"attack": attack}, uvloop.run)
