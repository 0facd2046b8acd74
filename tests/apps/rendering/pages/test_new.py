"""Asking for a render on a page: everything wrong at once, a check without a render, and the same film offered."""

import json

from pabal.apps.rendering.simulator.projects import make_project
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.studio import COMPOSITION, NAME, Studio, gfx
from tests.support.web import Web

NEW = "/render/new"


async def test_a_render_is_asked_for_and_its_page_opens(web: Web, studio: Studio) -> None:
    client = await visitor(web, "haeundae", Role.OPERATOR)
    form = {"composition_id": COMPOSITION, "gfx_data": json.dumps(gfx()), "on_air_at": "2080-01-01T20:15"}
    made = await client.post(NEW, data=form)

    assert (made.status_code, made.headers["Location"]) == (303, "/render/jobs/1")
    assert (await studio.see(1)).on_air_at is not None


async def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(web: Web, studio: Studio) -> None:
    client = await visitor(web, "haeundae", lang="ko")
    form = {"composition_id": COMPOSITION, "gfx_data": json.dumps(gfx("A NAME THAT IS MUCH TOO LONG"))}
    long = await client.post(NEW, data=form)
    broken = await client.post(NEW, data={"composition_id": "", "gfx_data": "{", "on_air_at": "x"})

    assert long.status_code == broken.status_code == 422
    assert "A NAME THAT IS MUCH TOO LONG" in long.text
    assert 'href="#gfx_data"' in long.text
    assert "컴포지션을 고르세요." in broken.text
    assert "JSON 형식이 아닙니다" in broken.text
    assert "2026-07-03T20:15처럼" in broken.text


async def test_a_check_renders_nothing(web: Web, studio: Studio) -> None:
    client = await visitor(web, "haeundae", lang="ko")
    form = {"composition_id": COMPOSITION, "gfx_data": json.dumps(gfx()), "go": "check"}
    page = await client.post(NEW, data=form)

    assert "렌더링할 수 있습니다" in page.text
    assert "대기 중인 렌더가 없습니다." in await read(client, "/render")


async def test_a_check_says_everything_that_is_wrong_with_data_and_files_at_once(web: Web, studio: Studio) -> None:
    (studio.folder / "templates" / "chips.aep").unlink()
    (studio.folder / "nas" / "output").rmdir()
    (studio.folder / "nas").rmdir()
    client = await visitor(web, "haeundae", lang="ko")
    form = {"composition_id": COMPOSITION, "gfx_data": json.dumps(gfx("A NAME THAT IS MUCH TOO LONG")), "go": "check"}
    page = await client.post(NEW, data=form)

    assert "레이어에는 18자까지" in page.text
    assert ".aep&#39;이(가) 없습니다" in page.text
    assert "NAS 폴더에 쓸 수 없습니다" in page.text
    assert "렌더링할 수 있습니다" not in page.text


async def test_the_same_film_is_offered(web: Web, studio: Studio) -> None:
    client = await visitor(web, "haeundae")
    form = {"composition_id": COMPOSITION, "gfx_data": json.dumps(gfx())}
    first = await client.post(NEW, data=form)
    await studio.complete(await studio.see(1))

    offered = await client.post(NEW, data=form)
    again = await client.post(NEW, data={**form, "again": "yes"})
    (studio.folder / "templates" / "chips.aep").write_bytes(make_project([NAME, "Another"]))
    saved = await client.post(NEW, data=form)

    assert offered.headers["Location"] == first.headers["Location"] == "/render/jobs/1"
    assert (again.headers["Location"], saved.headers["Location"]) == ("/render/jobs/2", "/render/jobs/3")


async def test_a_viewer_gets_no_form(web: Web, studio: Studio) -> None:
    await read(await visitor(web, "haeundae", Role.VIEWER), NEW, status=403)
