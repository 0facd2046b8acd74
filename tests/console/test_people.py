"""Organisation and people in the console: the tree of one's scope, its units and its people."""

import html
import re

import pytest

from pabal.platform import audit, auth, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.audit import Wanted
from pabal.platform.auth import NewUser
from pabal.platform.tenants import Level
from tests.console.staff import add, read_user
from tests.support.pages import read, visitor
from tests.support.web import Web

HOSTILE = "<script>alert(1)</script>"


async def unit_names(web: Web) -> list[str]:
    async with web.db.transaction() as tx:
        return [unit.name for unit in await tenants.list_units(tx, None)]


async def test_the_tree_says_levels_and_how_many_people(web: Web) -> None:
    await add(web, "haeundae", "one")
    await add(web, "haeundae", "two")

    korean = await read(await visitor(web, lang="ko"), "/people")
    english = await read(await visitor(web), "/people")

    assert re.search(r"해운대점</a>\s*<span[^>]*>지점</span></span>\s*<span[^>]*>2명", korean)
    assert re.search(r"해운대점</a>\s*<span[^>]*>branch</span></span>\s*<span[^>]*>2 people", english)
    assert "누가 무엇을 할 수 있나" in korean
    assert "Who may do what" in english


async def test_people_are_shown_with_state_role_and_where_they_belong(web: Web) -> None:
    invited, gone = await add(web, "haeundae", "new-one"), await add(web, "nampo", "gone-one", "떠난이")
    async with web.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, gone.id)

    page = await read(await visitor(web), "/people")

    assert "본사 › 부산총판 › <b>해운대점</b>" in page
    rows = {row: page.split(f'id="user-{row}"')[1].split("</tr>")[0] for row in (invited.id, gone.id)}
    assert 'data-state="invited"' in rows[invited.id]
    assert "viewer" in rows[invited.id]
    assert "never" in rows[invited.id]
    assert 'data-state="inactive"' in rows[gone.id]


FILTERS: dict[str, set[str]] = {
    "q=kim": {"kim"},
    "role=operator": {"lee"},
    "state=inactive": {"park"},
    "q=nobody-of-that-name": set(),
    "role=king&state=odd&cursor=%21&q=%00": {"kim", "lee", "park"},
}


async def test_people_can_be_filtered(web: Web) -> None:
    await add(web, "haeundae", "kim")
    await add(web, "haeundae", "lee", role=Role.OPERATOR)
    park = await add(web, "haeundae", "park")
    async with web.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, park.id)

    client = await visitor(web)

    for query, found in FILTERS.items():
        page = await read(client, f"/people?{query}")

        assert {one for one in ("kim", "lee", "park") if f'<span class="sub">{one}</span>' in page} == found, query
        assert ("Nothing matches these filters." in page) == (not found), query


async def test_the_fifty_first_person_is_on_the_next_page(web: Web) -> None:
    async with web.db.transaction() as tx:
        for n in range(51):
            await auth.add_user(tx, ENGINE, NewUser(f"p{n:02}", "사람", web.unit("nampo").id, Role.VIEWER))
    client = await visitor(web)

    first = await read(client, f"/people/units/{web.unit('nampo').id}")
    onward = re.search(r'href="([^"]+)" rel="next"', first)
    assert onward is not None
    second = await read(client, onward.group(1))

    assert ">p49<" in first
    assert ">p50<" not in first
    assert ">p50<" in second
    assert ">p49<" not in second


async def test_a_unit_shows_its_people_and_those_below(web: Web) -> None:
    await add(web, "haeundae", "below")
    await add(web, "seoul", "beside")
    client = await visitor(web)

    page = await read(client, f"/people/units/{web.unit('busan').id}")
    by_search = await client.get(f"/people?unit={web.unit('busan').id}")

    assert ">below<" in page
    assert ">beside<" not in page
    assert by_search.headers["Location"] == f"/people/units/{web.unit('busan').id}"


async def test_units_are_added_renamed_moved_and_removed(web: Web) -> None:
    client = await visitor(web)
    seoul = web.unit("seoul").id
    nampo = web.unit("nampo").id

    added = await client.post("/people/units", data={"parent_id": seoul, "level": "agency", "title": "강남대리점"})
    agency = added.headers["Location"]
    renamed = await client.post(f"{agency}/rename", data={"new_name": "서초대리점"})
    moved = await client.post(f"/people/units/{nampo}/move", data={"new_parent": agency.rsplit("/", 1)[1]})
    page = await read(client, f"/people/units/{nampo}")
    removed = await client.post(f"/people/units/{nampo}/remove")

    assert [one.status_code for one in (added, renamed, moved, removed)] == [303] * 4
    assert "서울총판</a>" in page
    assert "서초대리점</a>" in page
    assert "남포점" not in await unit_names(web)
    async with web.db.transaction() as tx:
        told = [one.action for one in await audit.list_entries(tx, Wanted(action="units.*"), limit=4)]
    assert told == ["units.remove", "units.move", "units.rename", "units.add"]


async def test_a_unit_that_is_not_empty_stays_and_the_page_says_why(web: Web) -> None:
    await add(web, "haeundae", "somebody")
    client = await visitor(web, lang="ko")

    answer = await client.post(f"/people/units/{web.unit('haeundae').id}/remove")

    assert answer.status_code == 409
    assert "이 조직은 지우지 않았습니다" in answer.text
    assert "해운대점" in await unit_names(web)


async def test_a_refused_unit_keeps_what_was_typed(web: Web) -> None:
    client = await visitor(web)
    given = {"parent_id": web.unit("busan").id, "level": "branch", "title": "해운대점"}

    twice = await client.post("/people/units", data=given)
    backwards = await client.post(
        "/people/units", data={**given, "parent_id": web.unit("haeundae").id, "level": "agency"}
    )
    nameless = await client.post(f"/people/units/{web.unit('busan').id}/rename", data={"new_name": "  "})

    assert twice.status_code == 422
    assert 'value="해운대점"' in twice.text
    assert "is not taken by a neighbour" in twice.text
    assert backwards.status_code == 422
    assert "A unit stands below one of a higher level" in html.unescape(backwards.text)
    assert nameless.status_code == 422


async def test_a_branch_sees_no_neighbour_and_not_who_stands_above(web: Web) -> None:
    theirs = await add(web, "gangnam", "stranger", "낯선이")
    client = await visitor(web, "haeundae")

    page = await read(client, "/people")
    unit = await client.get(f"/people/units/{web.unit('gangnam').id}")
    above = await client.get(f"/people/units/{web.unit('busan').id}")
    user = await client.get(f"/people/users/{theirs.id}")

    assert "해운대점" in page
    for hidden in ("낯선이", "stranger", "강남점", "남포점", "부산총판", "본사"):
        assert hidden not in page
    assert [one.status_code for one in (unit, above, user)] == [404] * 3
    assert "낯선이" not in user.text


async def test_a_branch_administrator_changes_nothing_of_a_neighbour(web: Web) -> None:
    theirs, mine = await add(web, "gangnam", "stranger"), await add(web, "haeundae", "mine")
    gangnam, haeundae = web.unit("gangnam").id, web.unit("haeundae").id
    client = await visitor(web, "haeundae")
    edit = {"name": "x", "role": "viewer", "unit": haeundae}

    answers = [
        await client.post("/people/units", data={"parent_id": gangnam, "level": "branch", "title": "x"}),
        await client.post(f"/people/units/{gangnam}/rename", data={"new_name": "x"}),
        await client.post(f"/people/units/{gangnam}/move", data={"new_parent": haeundae}),
        await client.post(f"/people/units/{gangnam}/remove"),
        await client.post("/people/users", data={"login": "spy", "name": "x", "unit": gangnam, "role": "viewer"}),
        await client.post(f"/people/users/{theirs.id}", data=edit),
        await client.post(f"/people/users/{theirs.id}/link"),
        await client.post(f"/people/users/{theirs.id}/reset-password"),
        await client.post(f"/people/users/{theirs.id}/deactivate"),
        await client.post(f"/people/users/{theirs.id}/activate"),
        await client.post(f"/people/users/{mine.id}", data={**edit, "unit": gangnam}),
    ]

    assert [one.status_code for one in answers] == [404] * len(answers)
    assert await read_user(web, theirs.id) == theirs
    assert (await read_user(web, mine.id)).unit_id == haeundae


async def test_an_own_unit_cannot_be_moved_away_or_removed(web: Web) -> None:
    client = await visitor(web, "busan")
    own = web.unit("busan").id

    page = await read(client, f"/people/units/{own}")
    removed = await client.post(f"/people/units/{own}/remove")

    assert f"/people/units/{own}/remove" not in page
    assert f"/people/units/{own}/move" not in page
    assert removed.status_code == 403


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_who_is_no_administrator_looks_and_changes_nothing(web: Web, role: Role) -> None:
    somebody, nampo = await add(web, "nampo", "somebody"), web.unit("nampo").id
    client = await visitor(web, "busan", role)

    pages = [await read(client, path) for path in ("/people", f"/people/units/{nampo}", f"/people/users/{somebody.id}")]
    answers = [
        await client.post("/people/units", data={"parent_id": nampo, "level": "branch", "title": "x"}),
        await client.post(f"/people/units/{nampo}/rename", data={"new_name": "x"}),
        await client.post(f"/people/units/{nampo}/remove"),
        await client.post("/people/users", data={"login": "spy", "name": "x", "unit": nampo, "role": "viewer"}),
        await client.post(f"/people/users/{somebody.id}", data={"name": "x", "role": "admin"}),
        await client.post(f"/people/users/{somebody.id}/link"),
        await client.post(f"/people/users/{somebody.id}/reset-password"),
        await client.post(f"/people/users/{somebody.id}/deactivate"),
    ]

    assert not any(re.search(r'action="/people/[^"]+"', page) for page in pages)
    assert [one.status_code for one in answers] == [403] * len(answers)
    assert await read_user(web, somebody.id) == somebody


async def test_hostile_names_are_only_text(web: Web) -> None:
    user = await add(web, "haeundae", "kim", HOSTILE)
    async with web.db.transaction() as tx:
        unit = await tenants.add_unit(
            tx, ENGINE, parent_id=web.unit("busan").id, level=Level.BRANCH, name=f'"{HOSTILE}'
        )
    client = await visitor(web)

    for path in ("/people", f"/people/users/{user.id}", f"/people/units/{unit.id}", f"/people?q={HOSTILE}"):
        text = (await client.get(path)).text

        assert HOSTILE not in text
        assert "&lt;script&gt;" in text


async def test_what_cannot_be_an_id_is_not_found(web: Web) -> None:
    client = await visitor(web)

    for path in ("/people/users/0", "/people/units/99999999999999999999", "/people/users/x", "/people/tokens/-1"):
        assert (await client.get(path)).status_code == 404, path
