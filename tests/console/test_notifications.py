from typing import Any

from pabal.engine.listing.paging import show_cursor
from pabal.platform import notifications
from pabal.platform.actor import Role
from pabal.platform.notifications import Level, Notice
from pabal.platform.tenants import Unit
from tests.support.web import Web


async def test_a_notification_speaks_the_readers_language(web: Web) -> None:
    await notify(web)
    client = await web.as_()

    english = (await client.get("/notifications")).text
    korean = (await client.get("/notifications", headers={"Accept-Language": "ko"})).text

    assert "A delivery failed" in english
    assert "The bot is offline." in english
    assert "발송 실패" in korean
    assert "봇이 꺼져 있습니다." in korean


async def test_the_newest_stand_first_with_where_to_look_and_how_often(web: Web) -> None:
    await notify(web, title=("first", "first"))
    for _ in range(3):
        await notify(web, title=("second", "second"), key="same", link="/jobs?state=failed")

    page = (await (await web.as_()).get("/notifications")).text

    assert page.index(">second<") < page.index(">first<")
    assert 'href="/jobs?state=failed"' in page
    assert "×3" in page


async def test_with_nothing_told_yet_the_page_says_so(web: Web) -> None:
    page = (await (await web.as_()).get("/notifications")).text

    assert "Nobody was told anything yet." in page
    assert "/notifications/read" not in page


async def test_what_is_unread_is_marked_until_all_is_marked_read(web: Web) -> None:
    newest = await notify(web)
    client = await web.as_(by="session")

    before = (await client.get("/notifications")).text
    await client.post("/notifications/read", data={"upto": str(newest)})
    after = (await client.get("/notifications")).text

    assert "pb-chip-new" in before
    assert f'name="upto" value="{newest}"' in before
    assert "pb-chip-new" not in after
    assert 'action="/notifications/read"' not in after


async def test_what_came_after_the_page_was_shown_stays_unread(web: Web) -> None:
    shown = await notify(web)
    await notify(web, title=("later", "later"))
    client = await web.as_(by="session")

    await client.post("/notifications/read", data={"upto": str(shown)})

    assert (await client.get("/notifications")).text.count("pb-chip-new") == 1


async def test_everybody_reads_for_themselves(web: Web) -> None:
    newest = await notify(web)

    await (await web.as_(by="session")).post("/notifications/read", data={"upto": str(newest)})

    other = await web.as_(role=Role.VIEWER, by="session")
    assert "pb-chip-new" in (await other.get("/notifications")).text


async def test_the_list_is_filtered_by_level(web: Web) -> None:
    await notify(web, title=("loud", "loud"))
    await notify(web, title=("quiet", "quiet"), level=Level.INFO)
    client = await web.as_()

    loud = (await client.get("/notifications?level=failure")).text
    none = (await client.get("/notifications?level=attention")).text
    unknown = (await client.get("/notifications?level=nonsense")).text

    assert ">loud<" in loud
    assert ">quiet<" not in loud
    assert "Nothing matches these filters." in none
    assert ">loud<" in unknown
    assert ">quiet<" in unknown


async def test_the_next_page_goes_on_where_this_one_ended(web: Web) -> None:
    async with web.db.transaction() as tx:
        ids = [await notifications.notify(tx, notice(title=(f"n{one}.", f"n{one}."))) for one in range(51)]
    client = await web.as_()

    first = (await client.get("/notifications?level=failure")).text
    second = (await client.get(f"/notifications?level=failure&cursor={show_cursor(ids[1])}")).text

    assert f"level=failure&amp;cursor={show_cursor(ids[1])}" in first
    assert ">n0.<" not in first
    assert ">n0.<" in second
    assert ">n1.<" not in second


async def test_a_branch_is_not_told_of_another(web: Web) -> None:
    await notify(web, web.tree.gangnam, title=("theirs", "theirs"))
    await notify(web, web.tree.haeundae, title=("ours", "ours"))
    await notify(web, title=("the houses", "the houses"))

    page = (await (await web.as_("haeundae")).get("/notifications")).text

    assert "ours" in page
    assert "theirs" not in page
    assert "the houses" not in page


async def test_a_title_is_shown_as_text(web: Web) -> None:
    await notify(web, title=("<script>{value}</script>", "x"), values={"value": "<img src=x>"})

    page = (await (await web.as_()).get("/notifications")).text

    assert "&lt;script&gt;&lt;img src=x&gt;&lt;/script&gt;" in page
    assert "<img src=x>" not in page


async def test_a_token_without_the_area_reads_nothing(web: Web) -> None:
    client = await web.as_(scopes=("jobs:read",))

    assert (await client.get("/notifications")).status_code == 403
    assert (await client.post("/notifications/read", data={"upto": "1"})).status_code == 403


def notice(unit: Unit | None = None, **said: Any) -> Notice:
    given = {
        "name": "messaging.delivery_failed",
        "title": ("A delivery failed", "발송 실패"),
        "text": ("The bot is offline.", "봇이 꺼져 있습니다."),
        "level": Level.FAILURE,
        **said,
    }
    return Notice(unit_id=None if unit is None else unit.id, **given)


async def notify(web: Web, unit: Unit | None = None, **said: Any) -> int:
    async with web.db.transaction() as tx:
        return await notifications.notify(tx, notice(unit, **said))
