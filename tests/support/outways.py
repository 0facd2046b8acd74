"""Receivers for tests: a webhook's on a raw socket, a mail server (aiosmtpd) on another, and what sends to them."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP as SmtpServer  # noqa: N811 -- a class, whatever its letters
from aiosmtpd.smtp import AuthResult, Envelope, Session

from pabal.base.database import Database
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import (
    Channel,
    ChannelForm,
    Delivery,
    Level,
    Mailer,
    Webhooks,
    make_out_kinds,
    read_server,
)
from pabal.platform.storage import Files
from pabal.platform.tenants import Unit
from pabal.testing import Parts, advance, drain
from tests.support.telegram import VAULT, notice

LOOPBACK = (ip_network("127.0.0.0/8"),)


@dataclass
class Hit:
    """One request that came whole."""

    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """`answers` are given one after another, the last for ever: bytes, None to hang up without a word, b"" to say
    nothing until the other side goes."""

    hits: list[Hit] = field(default_factory=list)
    answers: list[bytes | None] = field(default_factory=lambda: [reply(200)])
    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            headers = {name.lower(): value for name, value in headers.items()}
            body = await reader.readexactly(int(headers["content-length"]))
            self.hits.append(Hit(headers, body))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if answer == b"":
                await reader.read()
            elif answer is not None:
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def reply(status: int, body: str = "", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} said", f"content-length: {len(body.encode())}", "connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@asynccontextmanager
async def receiving(port: int = 0) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.handle, "127.0.0.1", port)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    async with server:
        yield receiver


@dataclass
class Letter:
    sender: str
    to: list[str]
    message: EmailMessage


@dataclass
class Postbox:
    """What a mail server took. `says` is its answer to a message, `refuses` the mailboxes it knows nothing of."""

    letters: list[Letter] = field(default_factory=list)
    says: list[str] = field(default_factory=lambda: ["250 OK"])
    refuses: dict[str, str] = field(default_factory=dict)
    logins: list[tuple[str, str]] = field(default_factory=list)
    was_secret: list[bool] = field(default_factory=list)
    url: str = ""
    loses_answer: bool = False

    async def handle_RCPT(  # noqa: N802 -- as aiosmtpd calls it
        self, server: SmtpServer, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SmtpServer, session: Session, envelope: Envelope) -> str:  # noqa: N802 -- as above
        answer = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if answer.startswith("250"):
            content = envelope.content if isinstance(envelope.content, bytes) else str(envelope.content).encode()
            message = message_from_bytes(content, policy=policy.default)
            assert isinstance(message, EmailMessage)
            self.letters.append(Letter(envelope.mail_from or "", list(envelope.rcpt_tos), message))
            self.was_secret.append(session.ssl is not None)
        if self.loses_answer:
            self.loses_answer = False
            server.transport.abort()
        return answer

    def login(self, server: SmtpServer, session: Session, envelope: Envelope, mechanism: str, auth: Any) -> AuthResult:
        given = (auth.login.decode(), auth.password.decode())
        self.logins.append(given)
        return AuthResult(success=given == ("kim@example.com", "p@ss/word"))


@asynccontextmanager
async def postbox(tls: ssl.SSLContext | None = None, *, from_the_first: bool = False) -> AsyncIterator[Postbox]:
    box = Postbox()

    def protocol() -> SmtpServer:
        return SmtpServer(
            box,
            hostname="mail.example",
            tls_context=None if from_the_first else tls,
            authenticator=box.login,
            auth_require_tls=not from_the_first,
            loop=asyncio.get_running_loop(),
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=tls if from_the_first else None)
    box.url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield box


@dataclass(frozen=True)
class Outpost:
    """Everything that sends by webhook and e-mail, with the engine's own steps."""

    db: Database
    parts: Parts
    files: Files

    async def add(self, unit: Unit, address: str, **form: Any) -> Channel:
        given = {"name": address[:90], "kind": "webhook", "address": address, "least_level": Level.INFO, **form}
        async with self.db.transaction() as tx:
            return await notifications.add_channel(tx, ENGINE, VAULT, ChannelForm(**given), unit_id=unit.id)

    async def notify(self, unit: Unit | None = None, **said: Any) -> int:
        async with self.db.transaction() as tx:
            return await notifications.notify(tx, notice(unit, **said))

    async def get(self, channel: Channel) -> Channel:
        async with self.db.transaction() as tx:
            return await notifications.get_channel(tx, ENGINE, channel.id)

    async def deliveries(self, channel: Channel) -> list[Delivery]:
        """The oldest first."""
        async with self.db.transaction() as tx:
            found = await notifications.list_deliveries(tx, ENGINE, channel.id, limit=200)
        return found[::-1]

    async def attempts(self, delivery: Delivery) -> list[notifications.Attempt]:
        async with self.db.transaction() as tx:
            return await notifications.list_attempts(tx, ENGINE, delivery.channel_id, delivery.id)

    async def run(self, *, over: timedelta = timedelta(0)) -> None:
        await (advance(self.parts, over) if over else drain(self.parts))


@asynccontextmanager
async def open_outpost(
    db: Database, folder: Path, *, smtp: str = "", tls: ssl.SSLContext | None = None, networks: Any = LOOPBACK
) -> AsyncIterator[Outpost]:
    webhooks, files = Webhooks(networks), Files(folder / "files")
    mailer = Mailer(read_server(smtp), tls=tls)
    kinds = make_out_kinds(webhooks, mailer, VAULT, files, console_url="https://pabal.example")
    yield Outpost(db, Parts(db, kinds), files)
    await webhooks.close()
