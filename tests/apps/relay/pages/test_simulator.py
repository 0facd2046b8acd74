"""The simulator page: one chats as a KakaoTalk user of the demo, through this very server."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.demo.chat import DemoChannel, find_channel
from pabal.apps.relay.model import sentences
from pabal.apps.relay.store import conversations, messages
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from pabal.platform.web.identify import CSRF_HEADER
from tests.support.relay import HOUSE, set_value
from tests.support.web import SECRET, Web, open_web, until

PAGE = "/relay/simulator"


@pytest.fixture
async def demo(db: Database, tmp_path: Path) -> AsyncIterator[Web]:
    """A demo's server that works, and its channel."""
    settings = Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.relay", secret_key=SECRET)
    # nobody here waits for more pieces, or for Kakao to hear our own answer
    for wait in (own.GATHER, own.CALLBACK_DELAY):
        await set_value(db, wait, timedelta(0))
    async with open_web(db, settings, is_demo=True, keeps_house=False, roles=frozenset({"web", "worker"})) as web:
        services = web.app.services
        services.connections.doors["web"] = ("127.0.0.1", urlsplit(web.url).port or 0)
        async with DemoChannel(services):
            yield web


async def read(web: Web, user: str, role: Role = Role.ADMIN) -> str:
    person = await web.as_("hq", role, by="session", Accept="text/html", **{"Accept-Language": "ko"})
    return (await person.get(f"{PAGE}?user={quote(user)}")).text


@pytest.mark.req("C-02")
async def test_the_simulator_says_that_it_is_none_of_kakaos_too(demo: Web):
    assert (await read(demo, "지민")).count("이 서비스는 카카오에서 제공하는 공식 서비스가 아닙니다.") == 1


async def test_what_is_said_there_is_answered_by_the_demos_instance(demo: Web):
    person = await demo.as_("hq", Role.OPERATOR, by="session", Accept="text/html")
    channel = find_channel(demo.app.services)
    assert channel is not None

    sent = await person.post(PAGE, data={"user": "지민", "text": "안녕하세요"})
    await until(lambda: len(channel.read("지민")) >= 2)

    assert sent.status_code == 303
    page = await read(demo, "지민")
    assert page.count("안녕하세요") >= 2
    assert "데모 비서" in page
    # the relay's own words are answered at once, and strangers are told how to pair
    await person.post(PAGE, data={"user": "하늘", "text": "/status"})
    await person.post(PAGE, data={"user": "새봄", "text": "안녕"})
    assert sentences.STATUS_PAIRED[1].format(account="느린 비서") in await read(demo, "하늘")
    assert "/pair ABCD-2345" in await read(demo, "새봄")


async def test_a_viewer_looks_on_and_nobody_speaks_for_who_is_not_of_the_demo(demo: Web):
    viewer = await demo.as_("hq", Role.VIEWER, by="session", Accept="text/html")
    person = await demo.as_("hq", Role.OPERATOR, by="session", Accept="text/html")

    refused = await viewer.post(PAGE, data={"user": "지민", "text": "안녕"})
    await person.post(PAGE, data={"user": "somebody", "text": "안녕"})

    assert refused.status_code == 403
    assert "disabled" in await read(demo, "지민", Role.VIEWER)
    channel = find_channel(demo.app.services)
    assert channel is not None
    assert channel.read("somebody") == channel.read("지민") == []


async def test_a_long_answer_has_its_button_and_what_was_said_can_be_replayed(demo: Web):
    person = await demo.as_("hq", Role.OPERATOR, by="session", Accept="text/html")
    channel = find_channel(demo.app.services)
    assert channel is not None
    await person.post(PAGE, data={"user": "지민", "text": "길게 말해 줘"})
    await until(lambda: channel.read_quick_replies("지민"))
    page = await read(demo, "지민")
    await person.post(PAGE, data={"user": "지민", "text": "더 보기"})
    before = len(channel.read("지민"))

    async with demo.db.transaction() as tx:
        talk = await conversations.name_conversation(tx, HOUSE, "demo-channel:지민")
        [message] = (await messages.list_messages(tx, HOUSE, conversation_id=talk.id, q="길게")).items
        account_id = message.account_id
    sent = await person.post(f"{PAGE}/replay", data={"message": str(message.uid), "account_id": str(account_id)})

    assert 'name="text" value="더 보기"' in page
    assert "/relay/simulator/replay" in page
    assert "/relay/simulator/replay" not in await read(demo, "지민", Role.VIEWER)
    assert (sent.status_code, sent.headers["location"].startswith("/relay/messages/")) == (303, True)
    assert len(channel.read("지민")) == before


async def test_the_button_of_a_long_answer_brings_its_rest_when_it_is_pressed(demo: Web):
    """The form as it stands on the page, with nothing of a script: what a press sends."""
    person = await demo.as_("hq", Role.OPERATOR, by="session", Accept="text/html")
    channel = find_channel(demo.app.services)
    assert channel is not None
    await person.post(PAGE, data={"user": "지민", "text": "길게 말해 줘"})
    await until(lambda: channel.read_quick_replies("지민"))
    shown = (await person.get(f"{PAGE}?user={quote('지민')}")).text
    del person.headers[CSRF_HEADER]

    [form] = [one for one in re.findall(r"<form class=\"pb-post\".*?</form>", shown, re.DOTALL) if ">더 보기<" in one]
    action = re.findall(r'action="([^"]+)"', form)
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form))
    pressed = await person.post(action[0], data=fields)
    after = (await person.get(pressed.headers["location"].partition("#")[0])).text

    assert fields["user"] == "지민"
    assert pressed.status_code == 303
    assert "8번째 이야기입니다" not in shown
    assert after.count("8번째 이야기입니다") == 1
    # that was all of it
    assert 'class="rl-quick"' not in after


class TestWithoutADemo:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"apps": "pabal.apps.relay"})

    async def test_there_is_no_simulator(self, web: Web):
        person = await web.as_("hq", by="session", Accept="text/html")

        assert (await person.get(PAGE)).status_code == 403
        assert (await person.post(PAGE, data={"user": "지민", "text": "안녕"})).status_code == 403
