"""E-mail through a real mail server (aiosmtpd) on a real socket."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.platform.notifications import BadChannel, ChannelForm, Document, Level
from pabal.platform.notifications import mail as mails
from pabal.platform.notifications.mail import (
    BadMailServer,
    Mail,
    Mailed,
    Mailer,
    MailFailed,
    MailRefused,
    MailServer,
    is_mailbox,
    read_server,
)
from tests.support.certificates import make_trusted
from tests.support.outways import Postbox, open_outpost, postbox
from tests.support.people import Tree

AT = datetime(2026, 7, 1, 9, 30, tzinfo=UTC)
MAIL = Mail(["lee@example.com", "park@example.com"], "Work is stuck", "큐가 멈췄습니다", "dlv_1", AT)


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return make_trusted(tmp_path_factory.mktemp("tls"))


@pytest.fixture
async def box() -> AsyncIterator[Postbox]:
    async with postbox() as opened:
        yield opened


def plain(box: Postbox) -> Mailer:
    return Mailer(read_server(f"smtp://{box.url}?tls=none", "pabal@example.com"))


async def test_a_message_arrives_as_it_was_written(box: Postbox):
    answer = await plain(box).send(MAIL)

    [letter] = box.letters
    message = letter.message
    assert answer == Mailed()
    assert (letter.sender, letter.to) == ("pabal@example.com", list(MAIL.to))
    assert (message["Subject"], message["Message-ID"]) == ("Work is stuck", "<dlv_1@example.com>")
    assert (message["Auto-Submitted"], message["Date"].datetime) == ("auto-generated", AT)
    assert message.get_content().strip() == "큐가 멈췄습니다"


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_with_a_password_nothing_is_said_before_tls(trusted: tuple[ssl.SSLContext, ssl.SSLContext], scheme: str):
    server, client = trusted
    async with postbox(server, from_the_first=scheme == "smtps") as box:
        url = f"{scheme}://kim%40example.com:p%40ss%2Fword@{box.url}"
        answer = await Mailer(read_server(url), tls=client).send(MAIL)

    assert answer == Mailed()
    assert box.logins == [("kim@example.com", "p@ss/word")]
    assert box.letters[0].sender == "kim@example.com"
    assert box.was_secret == [True] if scheme == "smtp" else True


async def test_a_server_without_tls_gets_neither_password_nor_message(box: Postbox):
    answer = await Mailer(read_server(f"smtp://kim:secret@{box.url}")).send(MAIL)
    unnamed = await Mailer(read_server(f"smtp://{box.url}")).send(MAIL)

    assert isinstance(answer, MailFailed)
    assert isinstance(unnamed, MailFailed)
    assert (box.logins, box.letters) == ([], [])
    assert "secret" not in repr(answer)


async def test_a_server_whose_name_nobody_vouches_for_gets_nothing(trusted: tuple[ssl.SSLContext, ssl.SSLContext]):
    async with postbox(trusted[0]) as box:
        answer = await Mailer(read_server(f"smtp://kim:secret@{box.url}")).send(MAIL)

    assert isinstance(answer, MailFailed)
    assert box.letters == []


@pytest.mark.parametrize(
    ("says", "kind"), [("451 later", MailFailed), ("554 no", MailRefused), ("421 closing", MailFailed)]
)
async def test_what_the_server_says_decides_whether_it_is_tried_again(box: Postbox, says: str, kind: type):
    box.says = [says]

    answer = await plain(box).send(MAIL)

    assert isinstance(answer, kind)
    assert says.partition(" ")[0] in repr(answer)


async def test_one_mailbox_that_is_refused_keeps_no_other_back(box: Postbox):
    box.refuses = {"lee@example.com": "550 unknown"}

    answer = await plain(box).send(MAIL)

    assert answer == Mailed("lee@example.com: 550 unknown")
    assert [letter.to for letter in box.letters] == [["park@example.com"]]


async def test_when_every_mailbox_is_refused_it_is_final(box: Postbox):
    box.refuses = dict.fromkeys(MAIL.to, "550 unknown")

    assert isinstance(await plain(box).send(MAIL), MailRefused)
    box.refuses["park@example.com"] = "450 later"
    assert isinstance(await plain(box).send(MAIL), MailFailed)


async def test_nobody_there_and_a_server_that_says_nothing_are_answers(box: Postbox, monkeypatch: pytest.MonkeyPatch):
    nobody = await Mailer(MailServer("127.0.0.1", 1, "none", sender="a@example.com")).send(MAIL)
    monkeypatch.setattr(mails, "TIMEOUT_SECONDS", 0.05)
    silent = await _send_to_a_silent_one()

    assert isinstance(nobody, MailFailed)
    assert isinstance(silent, MailFailed)
    assert await Mailer(None).send(MAIL) == MailFailed("no mail server: set PABAL_SMTP_URL")


@pytest.mark.parametrize(
    "odd", ["a\r\nBcc: all@example.com", "a\nX-Evil: 1\n\nbody", "a\x00b", "a\u2028b", "a\x0bb\x85c"]
)
async def test_no_text_becomes_a_header(box: Postbox, odd: str):
    await plain(box).send(Mail(["lee@example.com"], odd, odd, "dlv_1", AT, (f"{odd}.txt", b"x")))

    [letter] = box.letters
    assert set(letter.message.keys()) <= {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"
    }  # fmt: skip
    assert letter.to == ["lee@example.com"]
    assert [part.get_filename() for part in letter.message.iter_attachments()] == [f"{mails.clean_subject(odd)}.txt"]


@pytest.mark.parametrize(
    "text",
    [
        "a@b\r\nBcc: c@d",
        "a b@c",
        "a@",
        "@b",
        "a@b@c",
        "<a@b>",
        "a@b,c@d",
        'a"@b',
        "a@-b",
        "한@b",
        "a@b..c",
        "a" * 65 + "@b",
    ],
)
def test_what_is_no_mailbox_is_refused_where_it_is_typed(text: str):
    assert not is_mailbox(text)
    with pytest.raises(BadChannel) as refused:
        ChannelForm("당직", kind="email", address=text if "," not in text else f"{text},@")
    assert [one.field for one in refused.value.findings] == ["address"]


@pytest.mark.parametrize(
    "url",
    [
        "http://hunter2",
        "smtp://",
        "smtp://hunter2:port",
        "smtp://a:hunter2@host/path",
        "smtp://hunter2?tls=maybe",
        "hunter2:587",
    ],
)
def test_what_is_no_address_of_a_mail_server_is_refused_without_being_repeated(url: str):
    with pytest.raises(BadMailServer) as refused:
        read_server(url)
    assert "hunter2" not in str(refused.value)


def test_the_password_is_not_in_what_is_logged():
    assert "hunter2" not in repr(read_server("smtps://kim:hunter2@mail.example"))
    assert read_server("smtps://mail.example") == MailServer("mail.example", 465, "first", sender="pabal@mail.example")


async def test_a_notice_goes_to_the_mailboxes_with_its_document_and_a_lost_answer_doubles_it_under_one_id(
    db: Database, tree: Tree, tmp_path: Path, box: Postbox
):
    async with open_outpost(db, tmp_path, smtp=f"smtp://{box.url}?tls=none") as outpost:
        channel = await outpost.add(tree.busan, "lee@example.com, park@example.com", kind="email", lang="en")

        async def content() -> AsyncIterator[bytes]:
            yield b"a report"

        await outpost.files.put("kept/report", content())
        box.loses_answer = True
        await outpost.notify(
            tree.haeundae, level=Level.FAILURE, link="/jobs/7", document=Document("kept/report", "보고서.csv")
        )
        await outpost.notify(tree.seoul)
        await outpost.run(over=timedelta(minutes=1))

        [delivery] = await outpost.deliveries(channel)
        tries = await outpost.attempts(delivery)

    first, second = box.letters
    assert (delivery.result, [one.status for one in tries]) == ("sent", [None, 250])
    assert first.message["Message-ID"] == second.message["Message-ID"]
    assert first.message["Subject"] == "🔴 해운대점 · A delivery failed"
    body = second.message.get_body()
    assert body is not None
    assert "https://pabal.example/jobs/7" in body.get_content()
    [attachment] = second.message.iter_attachments()
    assert (attachment.get_filename(), attachment.get_content()) == ("보고서.csv", b"a report")


async def _send_to_a_silent_one() -> object:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        return await Mailer(MailServer("127.0.0.1", port, "none", sender="a@example.com")).send(MAIL)
