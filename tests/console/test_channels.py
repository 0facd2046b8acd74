from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import audit, notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.notifications import Channel, ChannelForm, Level, polling
from pabal.platform.notifications.simulator import Simulator, Trouble
from pabal.platform.tenants import Unit
from pabal.testing import Parts, drain
from tests.support.telegram import CHAT, OTHER_TOKEN, TOKEN
from tests.support.web import SECRET, Web

HOME = "/notifications/channels"


@pytest.fixture
async def telegram() -> AsyncIterator[Simulator]:
    async with Simulator() as simulator:
        yield simulator


@pytest.fixture
def web_settings(db: Database, tmp_path: Path, telegram: Simulator) -> Settings:
    return Settings(
        database_url=db.url, data_dir=tmp_path, port=0, apps="", secret_key=SECRET, telegram_url=telegram.url
    )


async def test_without_a_channel_the_page_says_how_to_connect_one(web: Web, telegram: Simulator) -> None:
    client = await web.as_()

    english = (await client.get(HOME)).text
    korean = (await client.get(HOME, headers={"Accept-Language": "ko"})).text

    assert "No channel is connected." in english
    assert "@BotFather" in english
    assert "pabal sim telegram" in english
    assert telegram.url in english
    assert "이어 둔 채널이 없습니다." in korean


async def test_a_channel_is_added_with_a_form(web: Web) -> None:
    client = await web.as_(by="session")

    answer = await client.post(HOME, data=typed(web, wants="alerts.*\nmessaging.*", least_level="failure", lang="en"))

    [channel] = await list_channels(web)
    assert answer.headers["Location"] == f"{HOME}/{channel.id}"
    assert (channel.name, channel.chat_id, channel.unit_id) == ("On call", CHAT, web.tree.busan.id)
    assert (channel.wants, channel.least_level, channel.lang) == (("alerts.*", "messaging.*"), Level.FAILURE, "en")
    assert channel.is_active


async def test_a_token_is_never_shown_again_but_its_last_four(web: Web) -> None:
    channel = await add(web, web.tree.busan)

    page = (await (await web.as_()).get(f"{HOME}/{channel.id}")).text

    assert TOKEN not in page
    assert "ends in wxyz" in page


async def test_what_does_not_fit_is_said_at_each_field_and_what_was_typed_stays(web: Web) -> None:
    client = await web.as_(by="session")

    answer = await client.post(
        HOME, data=typed(web, name="<script>", chat_id="my chat", token="no token", wants="alerts.*\nFOO!")
    )

    assert answer.status_code == 422
    assert "3 things need a look" in answer.text
    assert all(f'id="{field}-err"' in answer.text for field in ("chat_id", "token", "wants"))
    assert 'id="name-err"' not in answer.text
    assert 'value="my chat"' in answer.text
    assert 'value="&lt;script&gt;"' in answer.text
    assert f'<option value="{web.tree.busan.id}" selected>' in answer.text
    assert "no token" not in answer.text
    assert await list_channels(web) == []


async def test_a_name_that_is_taken_is_said_at_the_name(web: Web) -> None:
    await add(web, web.tree.busan)
    client = await web.as_(by="session")

    answer = await client.post(HOME, data=typed(web))

    assert answer.status_code == 422
    assert 'id="name-err"' in answer.text
    assert TOKEN not in answer.text


async def test_nobody_adds_a_channel_to_a_unit_they_do_not_see(web: Web) -> None:
    client = await web.as_("busan", by="session")

    form = (await client.get(f"{HOME}/new")).text
    answer = await client.post(HOME, data=typed(web, unit_id=str(web.tree.gangnam.id)))

    assert "강남점" not in form
    assert answer.status_code == 422
    assert 'id="unit_id-err"' in answer.text
    assert await list_channels(web) == []


async def test_an_edit_without_a_token_keeps_the_one_there_is(web: Web) -> None:
    channel = await add(web, web.tree.busan)
    client = await web.as_(by="session")

    await client.post(f"{HOME}/{channel.id}", data=typed(web, name="Night watch", token="", is_active=""))

    [after] = await list_channels(web)
    assert (after.name, after.token_tail, after.is_active) == ("Night watch", "wxyz", False)


async def test_an_edit_with_a_token_takes_the_new_one(web: Web) -> None:
    channel = await add(web, web.tree.busan)
    client = await web.as_(by="session")

    await client.post(f"{HOME}/{channel.id}", data=typed(web, token=OTHER_TOKEN))

    [after] = await list_channels(web)
    assert after.token_tail == "1234"


async def test_an_edit_that_does_not_fit_shows_the_form_again(web: Web) -> None:
    channel = await add(web, web.tree.busan)
    client = await web.as_(by="session")

    answer = await client.post(f"{HOME}/{channel.id}", data=typed(web, name=" ", token="nope"))

    assert answer.status_code == 422
    assert all(f'id="{field}-err"' in answer.text for field in ("name", "token"))
    assert (await list_channels(web))[0].name == "On call"


async def test_a_test_is_followed_until_it_has_arrived(web: Web, telegram: Simulator) -> None:
    channel = await add(web, web.tree.busan)
    client = await web.as_(by="session")

    answer = await client.post(f"{HOME}/{channel.id}/test")
    on_its_way = (await client.get(answer.headers["Location"])).text
    await drain(Parts(web.db, web.app.site.kinds))
    arrived = (await client.get(answer.headers["Location"])).text

    assert "The test is on its way" in on_its_way
    assert 'data-every="2"' in on_its_way
    assert "The test arrived" in arrived
    assert len(telegram.api.texts(CHAT)) == 1


async def test_a_refused_test_says_why_and_that_the_channel_stopped(web: Web, telegram: Simulator) -> None:
    channel = await add(web, web.tree.busan)
    telegram.api.troubles[CHAT] = Trouble("403")
    client = await web.as_(by="session")

    answer = await client.post(f"{HOME}/{channel.id}/test")
    await drain(Parts(web.db, web.app.site.kinds))
    page = (await client.get(answer.headers["Location"])).text
    listed = (await client.get(HOME)).text
    korean = (await client.get(f"{HOME}/{channel.id}", headers={"Accept-Language": "ko"})).text

    assert "상대가 봇을 차단했습니다" in korean
    assert "The test did not arrive" in page
    assert "Telegram refuses this channel" in page
    assert "403" in page
    assert ">stopped<" in listed


async def test_whether_a_bot_is_listened_to_is_a_choice_and_the_page_says_who_else_listens(web: Web) -> None:
    channel = await add(web, web.tree.busan)
    async with web.db.transaction() as tx:
        said = "409 Conflict: terminated by other getUpdates request"
        await tx.run(polling.SQL.rest, bot_id=channel.bot_id, until=tx.now, problem=said)
    client = await web.as_(by="session")

    deaf = (await client.get(f"{HOME}/{channel.id}")).text
    korean = (await client.get(f"{HOME}/{channel.id}", headers={"Accept-Language": "ko"})).text
    await client.post(f"{HOME}/{channel.id}", data=typed(web, token="", is_two_way=""))
    after = (await client.get(f"{HOME}/{channel.id}")).text

    assert "Nobody here hears" in deaf
    assert "다른 프로그램이 이 봇의 말을 받고 있습니다" in korean
    assert "Nobody here hears" not in after
    assert [one.is_two_way for one in await list_channels(web)] == [False]


async def test_a_removed_channel_is_gone_and_it_is_audited(web: Web) -> None:
    channel = await add(web, web.tree.busan)
    client = await web.as_(by="session")

    answer = await client.post(f"{HOME}/{channel.id}/remove")

    assert answer.headers["Location"] == HOME
    assert await list_channels(web) == []
    async with web.db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="channels.remove"))
    assert entry.actor_label == "hq admin"


async def test_a_branch_sees_neither_the_channels_of_others_nor_their_pages(web: Web) -> None:
    theirs = await add(web, web.tree.gangnam, name="Gangnam on call")
    await add(web, web.tree.haeundae, name="Haeundae on call")
    client = await web.as_("haeundae", by="session")

    page = (await client.get(HOME)).text
    answers = [
        await client.get(f"{HOME}/{theirs.id}"),
        await client.post(f"{HOME}/{theirs.id}", data=typed(web)),
        await client.post(f"{HOME}/{theirs.id}/test"),
        await client.post(f"{HOME}/{theirs.id}/remove"),
    ]

    assert "Haeundae on call" in page
    assert "Gangnam on call" not in page
    assert [answer.status_code for answer in answers] == [404] * 4
    assert len(await list_channels(web)) == 2


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_administrators_manage_channels(web: Web, role: Role) -> None:
    channel = await add(web, web.tree.haeundae)
    client = await web.as_("haeundae", role, by="session")

    pages = [(await client.get(path)).text for path in (HOME, f"{HOME}/{channel.id}")]
    answers = [
        await client.get(f"{HOME}/new"),
        await client.post(HOME, data=typed(web)),
        await client.post(f"{HOME}/{channel.id}", data=typed(web)),
        await client.post(f"{HOME}/{channel.id}/test"),
        await client.post(f"{HOME}/{channel.id}/remove"),
    ]

    assert all("On call" in page for page in pages)
    assert all(f"{HOME}/new" not in page and f"/{channel.id}/test" not in page for page in pages)
    assert 'name="token"' not in pages[1]
    assert [answer.status_code for answer in answers] == [403] * 5


def typed(web: Web, **other: str) -> dict[str, str]:
    given = {
        "name": "On call",
        "unit_id": str(web.tree.busan.id),
        "chat_id": CHAT,
        "token": TOKEN,
        "lang": "ko",
        "least_level": "attention",
        "wants": "",
        "is_active": "yes",
    }
    return {**given, **other}


async def add(web: Web, unit: Unit, **form: Any) -> Channel:
    given = {"name": "On call", "chat_id": CHAT, "token": TOKEN, **form}
    async with web.db.transaction() as tx:
        return await notifications.add_channel(
            tx, ENGINE, web.app.services.vault, ChannelForm(**given), unit_id=unit.id
        )


async def list_channels(web: Web) -> list[Channel]:
    async with web.db.transaction() as tx:
        return await notifications.list_channels(tx, ENGINE)
