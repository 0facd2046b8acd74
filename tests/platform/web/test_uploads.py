"""Uploads over a real socket: slow, cut, wrong and oversized senders."""

import asyncio
import contextlib
import hashlib
import json
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pabal.base.errors import PabalError
from pabal.platform.web.asked import AskedServer, quiet
from pabal.platform.web.problems import status_of
from pabal.platform.web.uploads import (
    BrokenUpload,
    CloseUnread,
    FieldTooLong,
    FilePart,
    FormField,
    NotMultipart,
    PartLimits,
    TooManyParts,
    UploadBodyTooLarge,
    UploadCut,
    UploadStalled,
    read_parts,
)

CONTENT = os.urandom(2_000_000)
BOUNDARY = "----pabal"


@dataclass
class Site:
    """A server whose one route reads parts and tells what it read."""

    url: str = ""
    limits: PartLimits = field(default_factory=lambda: PartLimits(max_body=30_000_000))
    bytes_read: int = 0
    largest_chunk: int = 0
    failed: asyncio.Queue[PabalError] = field(default_factory=asyncio.Queue)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def upload(self, request: Request) -> Response:
        try:
            return JSONResponse([await self._read(part) async for part in read_parts(request, self.limits)])
        except PabalError as error:
            self.failed.put_nowait(error)
            raise

    async def _read(self, part: FormField | FilePart) -> list[str]:
        if isinstance(part, FormField):
            return [part.name, part.value]
        if part.filename == "skip":
            return [part.name, "skipped"]
        digest = hashlib.sha256()
        async for chunk in part.chunks:
            self.begun.set()
            self.bytes_read += len(chunk)
            self.largest_chunk = max(self.largest_chunk, len(chunk))
            digest.update(chunk)
            if part.filename == "half":
                return [part.name, "half"]
        return [part.name, part.filename, part.media_type, digest.hexdigest()]


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    app = Starlette(routes=[Route("/", made.upload, methods=["POST"])], exception_handlers={PabalError: tell})
    app.add_middleware(CloseUnread)
    server = AskedServer(quiet(app, timeout_graceful_shutdown=1))
    listening = socket.create_server(("127.0.0.1", 0))
    made.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    yield made
    server.asked.set()
    await serving


async def tell(request: Request, error: Exception) -> Response:
    assert isinstance(error, PabalError)
    return JSONResponse({"code": error.code, "detail": error.detail}, status_of(error))


async def test_fields_and_files_come_in_order(site: Site):
    body = form(field_part("title", "안녕"), file_part("image", "전단지 1.jpg", CONTENT), field_part("end", "x"))

    answer = await post(site, body)

    assert answer.json() == [
        ["title", "안녕"],
        ["image", "전단지 1.jpg", "image/jpeg", hashlib.sha256(CONTENT).hexdigest()],
        ["end", "x"],
    ]


async def test_a_client_library_is_understood(site: Site):
    async with httpx2.AsyncClient() as client:
        answer = await client.post(site.url, data={"a": "1"}, files={"f": ("전단지.png", b"bytes", "image/png")})

    assert answer.json() == [["a", "1"], ["f", "전단지.png", "image/png", sha(b"bytes")]]


async def test_a_file_is_never_whole_in_memory(site: Site):
    await post(site, form(file_part("image", "a.jpg", CONTENT * 5)))

    assert site.bytes_read == len(CONTENT) * 5
    assert site.largest_chunk <= 256 * 1024


async def test_what_is_left_unread_of_a_part_is_skipped(site: Site):
    body = form(file_part("a", "half", CONTENT), file_part("b", "skip", CONTENT), file_part("c", "c", b"all"))

    answer = await post(site, body)

    assert answer.json() == [["a", "half"], ["b", "skipped"], ["c", "c", "image/jpeg", sha(b"all")]]


async def test_a_file_input_left_empty_is_no_part(site: Site):
    answer = await post(site, form(file_part("image", "", b""), field_part("title", "x")))

    assert answer.json() == [["title", "x"]]


async def test_an_empty_file_is_a_part(site: Site):
    answer = await post(site, form(file_part("image", "empty", b"")))

    assert answer.json() == [["image", "empty", "image/jpeg", sha(b"")]]


async def test_a_form_without_parts_is_empty(site: Site):
    answer = await post(site, form())

    assert answer.json() == []


async def test_content_that_looks_like_a_boundary_is_content(site: Site):
    tricky = b"\r\n--" + BOUNDARY.encode()[:-1] + b"\r\n--\r\n" * 3 + b"\r\n--" + BOUNDARY.encode()[:5]

    answer = await post(site, form(file_part("f", "t", tricky)))

    assert answer.json() == [["f", "t", "image/jpeg", sha(tricky)]]


async def test_a_slow_sender_is_heard_to_the_end(site: Site):
    body = form(field_part("title", "느린"), file_part("image", "a.jpg", b"slow bytes"))

    async with connected(site) as wire:
        await wire.head(len(body))
        for place in range(len(body)):
            await wire.send(body[place : place + 1])
            await asyncio.sleep(0)
        status, told = await wire.answer()

    assert status == 200
    assert told == [["title", "느린"], ["image", "a.jpg", "image/jpeg", sha(b"slow bytes")]]


async def test_a_cut_connection_ends_the_upload_by_name(site: Site):
    body = form(file_part("image", "a.jpg", CONTENT))

    async with connected(site) as wire:
        await wire.head(len(body))
        await wire.send(body[:500_000])
        await asyncio.wait_for(site.begun.wait(), 30)

    assert isinstance(await asyncio.wait_for(site.failed.get(), 30), UploadCut)


async def test_a_sender_that_stops_is_given_up(site: Site):
    site.limits = PartLimits(max_body=10_000_000, longest_pause=timedelta(milliseconds=50))
    body = form(file_part("image", "a.jpg", CONTENT))

    async with connected(site) as wire:
        await wire.head(len(body))
        await wire.send(body[:1000])
        status, told = await wire.answer()

    assert (status, told["code"]) == (400, "upload_stalled")
    assert isinstance(site.failed.get_nowait(), UploadStalled)


async def test_a_sender_that_dribbles_for_ever_is_given_up(site: Site):
    site.limits = PartLimits(max_body=10_000_000, longest=timedelta(milliseconds=50))
    body = form(file_part("image", "a.jpg", CONTENT))

    async with connected(site) as wire:
        await wire.head(len(body))
        dribbling = asyncio.create_task(wire.dribble(body))
        status, told = await wire.answer()
        dribbling.cancel()

    assert (status, told["code"]) == (400, "upload_stalled")


async def test_a_wrong_boundary_is_refused(site: Site):
    answer = await post(site, form(file_part("f", "a", CONTENT)), boundary="another")

    assert (answer.status_code, answer.json()["code"]) == (400, "broken_upload")
    assert isinstance(site.failed.get_nowait(), BrokenUpload)


@pytest.mark.parametrize("length", [0, 1, 20, 60, 200, -3, -30])
async def test_a_body_that_ends_too_early_is_refused(site: Site, length: int):
    answer = await post(site, form(field_part("t", "x"), file_part("f", "a", bytes(300)))[:length])

    assert (answer.status_code, answer.json()["code"]) == (400, "broken_upload")


@pytest.mark.parametrize(
    ("content_type", "status", "code"),
    [
        ("application/json", 415, NotMultipart().code),
        ("", 415, NotMultipart().code),
        ("multipart/form-data", 400, "broken_upload"),
        (f"multipart/form-data; boundary={'x' * 500}", 400, "broken_upload"),
    ],
)
async def test_what_is_no_upload_is_refused(site: Site, content_type: str, status: int, code: str):
    async with httpx2.AsyncClient() as client:
        answer = await client.post(site.url, content=b"{}", headers={"Content-Type": content_type})

    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_body_announced_too_large_is_refused_before_any_of_it_is_sent(site: Site):
    async with connected(site) as wire:
        await wire.head(10**12)
        status, told = await wire.answer()
        rest = await wire.read_to_end()

    assert (status, told["code"]) == (413, "upload_body_too_large")
    assert isinstance(site.failed.get_nowait(), UploadBodyTooLarge)
    assert rest == b""
    assert wire.is_closing


async def test_an_endless_body_is_refused_at_the_limit_and_not_read_further(site: Site):
    site.limits = PartLimits(max_body=1_000_000)
    start = form(file_part("f", "a", b""))[: -len(f"\r\n--{BOUNDARY}--\r\n")]

    async with connected(site) as wire:
        await wire.head(None)
        await wire.send_chunk(start)
        sending = asyncio.create_task(wire.send_chunks_until_closed())
        error = await asyncio.wait_for(site.failed.get(), 30)
        await asyncio.wait_for(sending, 30)

    assert isinstance(error, UploadBodyTooLarge)
    assert site.bytes_read <= 1_000_000


async def test_too_many_parts_are_refused(site: Site):
    site.limits = PartLimits(max_body=1_000_000, max_parts=3)

    fine = await post(site, form(*[field_part("a", "1")] * 3))
    refused = await post(site, form(*[field_part("a", "1")] * 4))

    assert fine.status_code == 200
    assert (refused.status_code, refused.json()["code"]) == (413, TooManyParts().code)


async def test_a_field_too_long_is_refused_but_a_file_of_that_size_is_not(site: Site):
    site.limits = PartLimits(max_body=1_000_000, max_field=1000)

    fine = await post(site, form(field_part("a", "1" * 1000), file_part("f", "a", bytes(100_000))))
    refused = await post(site, form(field_part("a", "1" * 1001)))

    assert fine.status_code == 200
    assert (refused.status_code, refused.json()["code"]) == (413, FieldTooLong().code)


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Disposition: form-data; name=" + b"x" * 10_000,
        b"\r\n".join(b"X-%d: y" % n for n in range(20)),
        b"Content-Disposition: form-data",
        b"no colon here",
    ],
)
async def test_headers_of_a_part_that_are_wrong_or_too_long_are_refused(site: Site, headers: bytes):
    answer = await post(site, form(headers + b"\r\n\r\nvalue"))

    assert (answer.status_code, answer.json()["code"]) == (400, "broken_upload")


async def test_a_connection_whose_body_was_read_is_used_again(site: Site):
    body = form(field_part("t", "x")) + b"an epilogue that says nothing"

    async with connected(site) as wire:
        for _ in range(2):
            await wire.head(len(body))
            await wire.send(body)
            status, told = await wire.answer()
            assert (status, told) == (200, [["t", "x"]])

        assert not wire.is_closing


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 400), max_size=30), st.binary(max_size=300), st.text(max_size=50))
def test_however_the_body_is_cut_the_parts_are_the_same(sizes: list[int], content: bytes, value: str):
    body = form(file_part("f", "a", content), field_part("t", value))

    assert asyncio.run(parse(body, sizes)) == [("f", content), ("t", value.encode().decode())]


async def parse(body: bytes, sizes: list[int]) -> list[tuple[str, object]]:
    cuts = [*sizes, len(body)]
    pieces = []
    for size in cuts:
        pieces.append(body[:size])
        body = body[size:]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    headers = [(b"content-type", f"multipart/form-data; boundary={BOUNDARY}".encode())]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    return [
        (part.name, part.value if isinstance(part, FormField) else b"".join([chunk async for chunk in part.chunks]))
        async for part in read_parts(request, PartLimits(max_body=10_000))
    ]


def form(*parts: bytes) -> bytes:
    return b"".join(f"--{BOUNDARY}\r\n".encode() + part + b"\r\n" for part in parts) + f"--{BOUNDARY}--\r\n".encode()


def field_part(name: str, value: str) -> bytes:
    return f'Content-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value.encode(errors="replace")


def file_part(name: str, filename: str, content: bytes) -> bytes:
    head = f'Content-Disposition: form-data; name="{name}"; filename="{filename}"\r\nContent-Type: image/jpeg\r\n\r\n'
    return head.encode() + content


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def post(site: Site, body: bytes, boundary: str = BOUNDARY) -> httpx2.Response:
    async with httpx2.AsyncClient() as client:
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return await client.post(site.url, content=body, headers=headers, timeout=30)


@dataclass
class Wire:
    """A client that sends what a library would not."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    is_closing: bool = False

    async def head(self, length: int | None) -> None:
        size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        kind = f"Content-Type: multipart/form-data; boundary={BOUNDARY}"
        await self.send(f"POST / HTTP/1.1\r\nHost: here\r\n{kind}\r\n{size}\r\n\r\n".encode())

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def send_chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def send_chunks_until_closed(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                await self.send_chunk(bytes(65536))

    async def dribble(self, body: bytes) -> None:
        for place in range(len(body)):
            await self.send(body[place : place + 1])
            await asyncio.sleep(0.001)

    async def answer(self) -> tuple[int, object]:
        async with asyncio.timeout(30):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            body = await self.reader.readexactly(length)
        self.is_closing = "connection: close" in head
        return int(head.split()[1]), json.loads(body)

    async def read_to_end(self) -> bytes:
        async with asyncio.timeout(30):
            return await self.reader.read()


@contextlib.asynccontextmanager
async def connected(site: Site) -> AsyncIterator[Wire]:
    port = int(site.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield Wire(reader, writer)
    writer.close()
