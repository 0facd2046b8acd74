"""Webhooks and mailboxes in the console: added, tried, paused, opened, sent again. The secret is shown once."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.notifications import Channel
from pabal.testing import Parts, advance, drain
from tests.support.outways import Receiver, receiving, reply
from tests.support.telegram import notice
from tests.support.web import SECRET, Web

HOME = "/notifications/channels"


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(
        database_url=db.url, data_dir=tmp_path, port=0, apps="", secret_key=SECRET, webhook_networks="127.0.0.0/8"
    )


def typed(web: Web, address: str, **other: str) -> dict[str, str]:
    given = {"kind": "webhook", "name": "Hook", "unit_id": str(web.tree.busan.id), "address": address, "lang": "en"}
    return {**given, "least_level": "info", "wants": "", "is_active": "yes", **other}


async def find(web: Web) -> Channel:
    async with web.db.transaction() as tx:
        [found] = await notifications.list_channels(tx, ENGINE)
    return found


async def test_a_webhook_is_added_with_a_form_and_its_secret_is_shown_once(web: Web, receiver: Receiver) -> None:
    client = await web.as_(by="session")

    form = (await client.get(f"{HOME}/new?kind=webhook")).text
    made = await client.post(HOME, data=typed(web, f"{receiver.url}?key=sesame"))
    channel = await find(web)
    again = (await client.get(f"{HOME}/{channel.id}")).text
    listed = (await client.get(HOME)).text

    assert 'name="address"' in form
    assert 'name="token"' not in form
    assert (made.status_code, made.headers["Cache-Control"]) == (200, "no-store")
    assert "whsec_" in made.text
    assert "whsec_" not in again
    assert "sesame" not in listed
    assert receiver.url in listed


@pytest.mark.parametrize(
    ("kind", "address"), [("webhook", "ftp://x"), ("webhook", ""), ("email", "kim"), ("email", "a@b\nBcc: c@d")]
)
async def test_what_leads_nowhere_is_said_at_its_field(web: Web, kind: str, address: str) -> None:
    client = await web.as_(by="session")

    answer = await client.post(HOME, data=typed(web, address, kind=kind))

    assert answer.status_code == 422
    assert 'id="address-err"' in answer.text


async def test_a_mailbox_page_says_when_there_is_no_mail_server(web: Web) -> None:
    client = await web.as_(by="session")

    page = (await client.get(f"{HOME}/new?kind=email")).text
    made = await client.post(HOME, data=typed(web, "kim@example.com, lee@example.com", kind="email"))

    assert "started without a mail server" in page
    assert made.status_code == 303
    assert (await find(web)).address == "kim@example.com, lee@example.com"


async def test_a_paused_webhook_is_opened_and_what_it_missed_sent_again_and_every_try_is_seen(
    web: Web, receiver: Receiver
) -> None:
    client = await web.as_(by="session")
    await client.post(HOME, data=typed(web, receiver.url))
    channel = await find(web)
    parts = Parts(web.db, web.app.site.kinds)
    receiver.answers = [reply(503, "closed for the night")]
    async with web.db.transaction() as tx:
        await notifications.notify(tx, notice(web.tree.busan))
    await advance(parts, timedelta(hours=4))
    tried = len(receiver.hits)

    paused = (await client.get(f"{HOME}/{channel.id}")).text
    receiver.answers = [reply(200)]
    await client.post(f"{HOME}/{channel.id}/open")
    await client.post(f"{HOME}/{channel.id}/replay", data={"hours": "24"})
    await drain(parts)
    after = (await client.get(f"{HOME}/{channel.id}")).text
    async with web.db.transaction() as tx:
        first = (await notifications.list_deliveries(tx, ENGINE, channel.id))[-1]
    tries = (await client.get(f"{HOME}/{channel.id}/deliveries/{first.id}")).text

    assert "This channel is paused" in paused
    assert "closed for the night" in paused
    assert "This channel is paused" not in after
    assert "sent again" in after
    assert len(receiver.hits) == tried + 1
    answered = tries.count(". 503</span>")
    assert answered >= 12
    assert tries.count("closed for the night") >= answered


async def test_a_new_secret_is_shown_once_and_coming_back_shows_none(web: Web, receiver: Receiver) -> None:
    client = await web.as_(by="session")
    await client.post(HOME, data=typed(web, receiver.url))
    channel = await find(web)

    made = await client.post(f"{HOME}/{channel.id}/rotate", data={"overlap": "24"})
    back = await client.get(f"{HOME}/{channel.id}/rotate")

    assert "whsec_" in made.text
    assert (back.status_code, back.headers["Location"]) == (303, f"{HOME}/{channel.id}")
    assert (await find(web)).before_until is not None


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_who_does_not_manage_sees_tries_and_changes_nothing(web: Web, receiver: Receiver, role: Role) -> None:
    admin = await web.as_(by="session")
    await admin.post(HOME, data=typed(web, receiver.url))
    channel = await find(web)
    client = await web.as_("busan", role, by="session")

    page = (await client.get(f"{HOME}/{channel.id}")).text
    answers = [
        await client.post(f"{HOME}/{channel.id}/{verb}") for verb in ("open", "rotate", "replay", "deliveries/1/replay")
    ]

    assert "/rotate" not in page
    assert [answer.status_code for answer in answers] == [403] * 4
