"""Machines in the console: the list, one machine, one subject, and sending it an event."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import audit
from pabal.platform.actor import Role
from tests.console.adgroups import HOSTILE
from tests.support.adgroup import Event, add_groups, create_table, get_group, say
from tests.support.pages import read, visitor
from tests.support.web import SECRET, Web


@pytest.fixture
async def web_settings(db: Database, tmp_path: Path) -> Settings:
    await create_table(db)
    app = "tests.console.adgroups:SLICE"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=app, secret_key=SECRET)


async def add(web: Web, unit: str | None = "haeundae", *events: Event, starts_in: timedelta = timedelta(0)) -> int:
    unit_id = None if unit is None else web.unit(unit).id
    [made] = await add_groups(web.db, unit_id=unit_id, starts_in=starts_in)
    await say(web.db, made, *events)
    return made


def edges(page: str, mark: str) -> set[tuple[str, str]]:
    """From where to where the lines with this mark go."""
    found = re.findall(r'<path class="edge ([a-z]*)" data-from="(\w+)" data-to="(\w+)"', page)
    return {(source, target) for kind, source, target in found if kind == mark}


async def test_the_list_counts_who_is_where_and_draws_the_first_machine(web: Web) -> None:
    await add(web)
    await add(web, "nampo", Event.COMPLETE_SETUP)

    page = await read(await visitor(web, lang="ko"), "/machines")

    assert 'href="/machines/adgroup"' in page
    assert "8상태 · 10이벤트" in page
    assert "임시저장 1, ready 1" in page
    assert "draft · 1" in page
    assert "경보" in page


async def test_the_demos_own_machine_hides_until_there_is_a_demo(web: Web) -> None:
    page = await read(await visitor(web), "/machines")

    assert "/machines/kettle" not in page
    assert "kettle" in await read(await visitor(web), "/machines/kettle")


async def test_a_machine_shows_its_moves_its_timers_and_its_subjects(web: Web) -> None:
    group = await add(web, "haeundae", Event.COMPLETE_SETUP, Event.APPROVE, starts_in=timedelta(hours=1))

    page = await read(await visitor(web), "/machines/adgroup")

    assert f'href="/machines/adgroup/{group}"' in page
    assert "해운대점" in page
    assert "<code>start</code>" in page
    assert "has_started" in page
    assert "if is_inside_day" in page
    assert "no timer: it stays until somebody sends an event" in page
    assert "draft --> ready : complete_setup [setup_is_complete]" in page
    assert edges(page, "seen") == {("draft", "ready"), ("ready", "approved")}


async def test_subjects_are_narrowed_by_state_and_an_unknown_state_narrows_nothing(web: Web) -> None:
    draft, ready = await add(web), await add(web, "haeundae", Event.COMPLETE_SETUP)
    client = await visitor(web)

    narrowed = await read(client, "/machines/adgroup?state=ready")
    unknown = await read(client, "/machines/adgroup?state=flying&cursor=nonsense")

    assert [f'id="adgroup-{one}"' in narrowed for one in (draft, ready)] == [False, True]
    assert [f'id="adgroup-{one}"' in unknown for one in (draft, ready)] == [True, True]
    assert "Nothing matches these filters." in await read(client, "/machines/adgroup?state=paused")


async def test_long_lists_of_subjects_go_on_where_they_stopped(web: Web) -> None:
    made = await add_groups(web.db, 53, unit_id=web.unit("haeundae").id)
    client = await visitor(web)

    first = await read(client, "/machines/adgroup")
    onward = re.search(r'href="(/machines/adgroup\?cursor=[^"]+)"', first)
    assert onward is not None
    second = await read(client, onward[1])

    assert [f'id="adgroup-{one}"' in first for one in made] == [False] * 3 + [True] * 50
    assert [f'id="adgroup-{one}"' in second for one in made] == [True] * 3 + [False] * 50


async def test_a_machine_nobody_is_in_says_where_its_subjects_come_from(web: Web) -> None:
    page = await read(await visitor(web, lang="ko"), "/machines/adgroup")

    assert "아직 이 기계의 대상이 없습니다." in page
    assert "처음 상태는 임시저장입니다." in page


async def test_a_branch_sees_its_own_subjects_and_not_a_neighbours_nor_the_houses(web: Web) -> None:
    mine, theirs, nobodys = await add(web, "haeundae"), await add(web, "nampo"), await add(web, None)
    client = await visitor(web, "haeundae", Role.OPERATOR)

    page = await read(client, "/machines/adgroup")

    assert "draft · 1" in page
    assert f"adgroup:{mine}" in page
    for other in (theirs, nobodys):
        assert f"adgroup:{other}" not in page
        await read(client, f"/machines/adgroup/{other}", 404)
        answer = await client.post(f"/machines/adgroup/{other}/send", data={"event": "delete"})
        assert answer.status_code == 404
        assert (await get_group(web.db, other)).state == "draft"


async def test_what_is_not_there_is_not_found(web: Web) -> None:
    client = await visitor(web)

    for path in ("/machines/toaster", "/machines/toaster/1", "/machines/adgroup/999", f"/machines/adgroup/{2**64}"):
        await read(client, path, 404)


async def test_a_subject_shows_where_it_came_from_and_where_it_may_go(web: Web) -> None:
    group = await add(web, "haeundae", Event.COMPLETE_SETUP, Event.APPROVE, Event.START)

    page = await read(await visitor(web, lang="ko"), f"/machines/adgroup/{group}")

    assert 'class="node seen now" data-state="running"' in page
    assert "지금</text>" in page
    assert edges(page, "seen") == {("draft", "ready"), ("ready", "approved"), ("approved", "running")}
    assert edges(page, "can") == {("running", "paused"), ("running", "pending"), ("running", "deleted")}
    assert edges(page, "no") == {("running", "expired")}
    assert "expire: not yet over (now" in page
    assert "저절로 옵니다" in page
    assert f"/facts?subject=adgroup%3A{group}" in page


async def test_history_says_who_and_why_and_how_long_ago(web: Web) -> None:
    group = await add(web)
    client = await visitor(web, "busan", Role.OPERATOR)
    await client.post(f"/machines/adgroup/{group}/send", data={"event": "complete_setup", "reason": "all is there"})

    page = await read(client, f"/machines/adgroup/{group}")

    assert "busan operator" in page
    assert "all is there" in page


async def test_an_event_that_is_sent_moves_the_subject_and_is_audited_with_its_reason(web: Web) -> None:
    group = await add(web)
    client = await visitor(web, "busan", Role.OPERATOR)

    answer = await client.post(
        f"/machines/adgroup/{group}/send", data={"event": "complete_setup", "reason": "done", "version": "1"}
    )

    assert (answer.status_code, answer.headers["location"]) == (303, f"/machines/adgroup/{group}")
    assert (await get_group(web.db, group)).state == "ready"
    async with web.db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="machines.send"))
    assert entry.after is not None
    assert entry.after["reason"] == "done"


async def test_a_refused_event_shows_the_guards_report_and_keeps_what_was_typed(web: Web) -> None:
    group = await add(web, "haeundae", Event.COMPLETE_SETUP, Event.APPROVE, starts_in=timedelta(days=2))
    client = await visitor(web)

    answer = await client.post(f"/machines/adgroup/{group}/send", data={"event": "start", "reason": 'now, "please"'})

    assert answer.status_code == 409
    assert "start was not sent" in answer.text
    assert "too early (now " in answer.text
    assert "guard_refused" in answer.text
    assert 'value="now, &#34;please&#34;"' in answer.text
    assert (await get_group(web.db, group)).state == "approved"
    reloaded = await client.get(f"/machines/adgroup/{group}/send")
    assert reloaded.headers["location"] == f"/machines/adgroup/{group}"


async def test_an_event_for_a_subject_that_moved_meanwhile_is_refused(web: Web) -> None:
    group = await add(web, "haeundae", Event.COMPLETE_SETUP)

    answer = await (await visitor(web, lang="ko")).post(
        f"/machines/adgroup/{group}/send", data={"event": "delete", "version": "1"}
    )

    assert answer.status_code == 409
    assert "보는 사이에 다른 사람이 바꿨습니다." in answer.text
    assert (await get_group(web.db, group)).state == "ready"


async def test_simulating_tells_what_would_happen_and_changes_nothing(web: Web) -> None:
    group = await add(web, "haeundae", Event.COMPLETE_SETUP, Event.APPROVE, starts_in=timedelta(days=2))
    client = await visitor(web)

    goes = await read(client, f"/machines/adgroup/{group}?simulate=delete")
    refused = await read(client, f"/machines/adgroup/{group}?simulate=start")
    elsewhere = await read(client, f"/machines/adgroup/{group}?simulate=resume")

    assert "delete would go through" in goes
    assert "It would be deleted then. Nothing was changed." in goes
    assert "start would be refused" in refused
    assert "too early (now" in refused
    assert "A subject that is approved has no move for it." in elsewhere
    assert (await get_group(web.db, group)).version == 3


async def test_a_viewer_looks_but_has_no_buttons_and_no_rights(web: Web) -> None:
    group = await add(web)
    client = await visitor(web, "haeundae", Role.VIEWER)

    page = await read(client, f"/machines/adgroup/{group}?simulate=delete")
    answer = await client.post(f"/machines/adgroup/{group}/send", data={"event": "delete"})

    assert "/send" not in page
    assert "?simulate=complete_setup" not in page
    assert "delete would go through" not in page
    assert answer.status_code == 403
    assert (await get_group(web.db, group)).state == "draft"


async def test_somebody_without_the_area_does_not_see_machines_at_all(web: Web) -> None:
    client = await web.as_(scopes=("jobs:read",), Accept="text/html")

    assert [(await client.get(path)).status_code for path in ("/machines", "/machines/adgroup")] == [403, 403]


async def test_words_and_reasons_are_text_and_never_markup(web: Web) -> None:
    group = await add(web)
    client = await visitor(web)
    await client.post(f"/machines/adgroup/{group}/send", data={"event": "complete_setup", "reason": HOSTILE})

    for path in ("/machines", "/machines/adgroup", f"/machines/adgroup/{group}"):
        answer = (await client.get(path)).text
        assert "<script>alert" not in answer
        assert "&lt;script&gt;alert" in answer


async def test_what_names_a_subject_leads_to_its_page_unless_its_app_has_one(web: Web) -> None:
    site = web.app.site

    assert site.link("adgroup:1") == "/ads/1"
    assert site.link("adgroup:2") == "/machines/adgroup/2"
    assert site.link("toaster:2") is None
    assert site.link("adgroup:two") is None
    assert site.link(f"adgroup:{'9' * 30}") is None
    group = await add(web)
    assert ('href="/ads/1"' in await read(await visitor(web), f"/machines/adgroup/{group}")) == (group == 1)
