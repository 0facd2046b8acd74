"""Settings in the console: default, value and who changed it; changed by the head office."""

from pabal.platform import settings
from pabal.platform.actor import Role
from pabal.platform.backup import SETTINGS
from tests.support.pages import read, visitor
from tests.support.web import Web

DAYS = next(one for one in SETTINGS if one.key == "backup.keep_days")
GROUP = "backup"


async def value(web: Web) -> int:
    async with web.db.transaction() as tx:
        return await settings.value(tx, DAYS)


async def save(web: Web, client, text: str, *, version: int = 0):
    form = {"group": GROUP, f"value:{DAYS.key}": text, f"version:{DAYS.key}": str(version)}
    return await client.post("/settings", data=form)


async def test_a_change_holds_at_once_and_says_who_made_it(web: Web) -> None:
    client = await visitor(web, lang="ko")

    answer = await save(web, client, "21")

    page = await read(client, answer.headers["location"])
    assert await value(web) == 21
    assert "hq admin" in page
    assert "바뀜" in page


async def test_what_cannot_be_saved_is_said_at_its_field_and_nothing_else_is_saved_either(web: Web) -> None:
    client = await visitor(web)
    form = {
        "group": GROUP,
        f"value:{DAYS.key}": "21",
        "value:backup.time": "half past three",
    }

    refused = await client.post("/settings", data=form)

    assert refused.status_code == 422
    assert "half past three" in refused.text
    assert 'aria-invalid="true"' in refused.text
    assert await value(web) == DAYS.default


async def test_two_people_do_not_overwrite_each_other(web: Web) -> None:
    client = await visitor(web)
    await save(web, client, "21")

    late = await save(web, client, "30", version=0)

    assert late.status_code == 422
    assert "Somebody else changed this setting" in late.text
    assert await value(web) == 21


async def test_a_setting_goes_back_to_its_default(web: Web) -> None:
    client = await visitor(web)
    await save(web, client, "21")

    await client.post(f"/settings/{DAYS.key}/reset")

    assert await value(web) == DAYS.default


async def test_everybody_may_look_and_only_the_head_offices_administrators_change(web: Web) -> None:
    for unit, role in (("hq", Role.OPERATOR), ("busan", Role.ADMIN), ("haeundae", Role.VIEWER)):
        client = await visitor(web, unit, role)
        page = await read(client, f"/settings?group={GROUP}")
        assert DAYS.key in page
        assert f"value:{DAYS.key}" not in page
        assert (await save(web, client, "21")).status_code == 403
        assert (await client.post(f"/settings/{DAYS.key}/reset")).status_code == 403

    assert await value(web) == DAYS.default


async def test_settings_are_found_by_name_meaning_and_whether_they_were_changed(web: Web) -> None:
    client = await visitor(web)
    await save(web, client, "21")

    assert DAYS.key in await read(client, "/settings?q=keep_days")
    assert DAYS.key in await read(client, "/settings?changed=true")
    assert "notifications.keep" not in await read(client, "/settings?changed=true")
    assert "Nothing matches these filters." in await read(client, "/settings?q=zebra")


async def test_each_group_has_an_address_that_stays_whatever_apps_are_loaded(web: Web) -> None:
    client = await visitor(web)

    own = await read(client, f"/settings?group={GROUP}")
    unknown = await read(client, "/settings?group=5")

    assert f'href="/settings?group={GROUP}" aria-current="true"' in own
    assert f'href="/settings?group={GROUP}"' in unknown
    assert "group=0" not in own


async def test_a_setting_that_does_not_exist_is_not_found(web: Web) -> None:
    assert (await (await visitor(web)).post("/settings/no.such/reset")).status_code == 404
