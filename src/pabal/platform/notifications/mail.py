"""E-mail by SMTP: one message to a channel's mailboxes. Answers are values; the password is in no error or log."""

import asyncio
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from urllib.parse import parse_qs, unquote, urlsplit

from pabal.base.errors import Invalid

TIMEOUT_SECONDS = 60.0
LARGEST_ATTACHMENT = 10 * 1024 * 1024
SUBJECT_LENGTH = 200
_PORTS = {"smtp": 587, "smtps": 465}
# one address of a mailbox: nothing that could end a header or begin another
_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


class BadMailServer(Invalid, code="bad_mail_server"):
    """PABAL_SMTP_URL is written as smtp://user:password@host:587 or smtps://user:password@host:465."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """`tls`: from the first byte, after STARTTLS, or never (only if the address says `?tls=none`)."""

    host: str
    port: int
    tls: str
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """`id` is the same at every attempt, so that a mailbox can tell a double."""

    to: Sequence[str]
    subject: str
    text: str = field(repr=False)
    id: str
    at: datetime
    attachment: tuple[str, bytes] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Mailed:
    """The server has taken it, but for those in `refused`."""

    refused: str = ""


@dataclass(frozen=True, slots=True)
class MailRefused:
    """It will never be taken like this."""

    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class MailFailed:
    """Not now, or no answer."""

    reason: str
    code: int | None = None


def is_mailbox(text: str) -> bool:
    return _MAILBOX.fullmatch(text) is not None and ".." not in text and len(text) <= 254


def read_server(url: str, sender: str = "") -> MailServer | None:
    """None where no server is named."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS[parts.scheme]
    except (KeyError, ValueError):
        raise BadMailServer from None
    asked = parse_qs(parts.query).get("tls", [""])[0]
    if not host or asked not in ("", "none") or parts.path not in ("", "/"):
        raise BadMailServer
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    chosen = sender or (user if is_mailbox(user) else f"pabal@{host}")
    if not is_mailbox(chosen):
        raise BadMailServer("PABAL_MAIL_FROM is one mailbox")
    tls = "none" if asked else "first" if parts.scheme == "smtps" else "starttls"
    return MailServer(host, port, tls, user, password, chosen)


class Mailer:
    """A connection for each message: few are sent, and a server that closes idle ones is no trouble."""

    def __init__(self, server: MailServer | None, *, tls: ssl.SSLContext | None = None) -> None:
        self.server = server
        self._tls = tls

    async def send(self, mail: Mail) -> Mailed | MailRefused | MailFailed:
        import aiosmtplib  # noqa: PLC0415 -- long to load; most never send

        if self.server is None:
            return MailFailed("no mail server: set PABAL_SMTP_URL")
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await self._send(self.server, mail)
        except aiosmtplib.SMTPRecipientsRefused as error:
            codes = [one.code for one in error.recipients]
            said = "; ".join(f"{one.recipient}: {one.code} {one.message}" for one in error.recipients)[:300]
            return MailRefused(max(codes), said) if min(codes) >= 500 else MailFailed(said, min(codes))
        except aiosmtplib.SMTPResponseException as error:
            is_final = error.code >= 500 and not isinstance(error, aiosmtplib.SMTPAuthenticationError)
            said = f"{error.code} {error.message}"[:300]
            return MailRefused(error.code, said) if is_final else MailFailed(said, error.code)
        except (aiosmtplib.SMTPException, OSError) as error:
            return MailFailed(f"{type(error).__name__}: {error}"[:300])

    async def _send(self, server: MailServer, mail: Mail) -> Mailed:
        import aiosmtplib  # noqa: PLC0415 -- as above

        context = None if server.tls == "none" else self._tls or ssl.create_default_context()
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            timeout=TIMEOUT_SECONDS / 2,
            use_tls=server.tls == "first",
            start_tls=server.tls == "starttls",
            tls_context=context,
            local_hostname="pabal",
        )
        async with client:
            if server.user:
                await client.login(server.user, server.password)
            refused, _ = await client.send_message(write(mail, server.sender))
        return Mailed("; ".join(f"{who}: {said.code} {said.message}" for who, said in refused.items())[:300])


def write(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = Address("Pabal", addr_spec=sender)
    message["To"] = [Address(addr_spec=one) for one in mail.to]
    message["Subject"] = clean_subject(mail.subject)
    message["Date"] = format_datetime(mail.at)
    message["Message-ID"] = f"<{mail.id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    if mail.attachment is not None:
        name, content = mail.attachment
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=clean_subject(name))
    return message


def clean_subject(text: str) -> str:
    """One line of visible signs: nothing in it can begin a header of its own."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(shown.split())[:SUBJECT_LENGTH] or "Pabal"
