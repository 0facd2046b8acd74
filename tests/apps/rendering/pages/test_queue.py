"""The queue: what renders, waits and has ended, and whether it is in time; verbs for one and for many."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.studio import NAME, Studio
from tests.support.web import Web

QUEUE = "/render"


@pytest.mark.req("B-49", "B-64")
async def test_a_render_shows_its_stage_its_progress_and_how_long_it_takes(web: Web, studio: Studio) -> None:
    job = await studio.submit(await studio.ask(cue_item_id="3-12"), 45)
    page = await read(await visitor(web, "haeundae", Role.VIEWER, lang="ko"), QUEUE)

    assert NAME in page
    assert f"#{job.id}" in page
    assert "큐 3-12" in page
    assert "렌더링 45% · 약" in page
    assert 'data-s="now"' in page
    assert "--w:45%" in page
    assert "Worker#1" in page
    # who may only look has no verbs
    assert "/cancel" not in page


async def test_what_will_be_late_is_said_and_what_has_time_too(web: Web, studio: Studio) -> None:
    async with web.db.transaction() as tx:
        now = tx.now
    await studio.ask(on_air_at=now + timedelta(seconds=30))
    await studio.ask(on_air_at=now + timedelta(hours=2))

    page = await read(await visitor(web, "haeundae", lang="ko"), QUEUE)
    english = await read(await visitor(web, "haeundae"), QUEUE)

    assert "늦을 듯" in page
    assert "여유 1시간" in page
    assert "late" in english
    assert "to spare" in english


async def test_without_an_open_worker_nobody_foretells_a_start(web: Web, studio: Studio) -> None:
    await studio.ask()
    await clock.advance(web.db, timedelta(minutes=5))

    page = await read(await visitor(web, "haeundae", lang="ko"), QUEUE)

    assert "받을 수 있는 워커가 없음" in page
    assert "연결된 워커 없음" in page


async def test_the_board_has_a_lane_for_every_state(web: Web, studio: Studio) -> None:
    await studio.ask()
    await studio.submit(await studio.ask())
    await studio.complete(await studio.ask(), number=2)
    page = await read(await visitor(web, "haeundae", lang="ko"), f"{QUEUE}?view=board")

    for lane in ("wait", "prepare", "render", "encode", "upload", "done", "ended"):
        assert f'id="lane-{lane}"' in page
    assert page.index('id="lane-wait"') < page.index('id="lane-render"') < page.index('id="lane-ended"')


async def test_an_empty_queue_says_what_to_do(web: Web, studio: Studio) -> None:
    page = await read(await visitor(web, "haeundae", lang="ko"), QUEUE)

    assert "대기 중인 렌더가 없습니다. 워커 2대가 쉬고 있습니다." in page
    assert "샘플 렌더" in page


async def test_the_list_is_filtered_and_says_when_nothing_is_left(web: Web, studio: Studio) -> None:
    await studio.ask()
    client = await visitor(web, "haeundae")

    assert NAME in await read(client, f"{QUEUE}?state=pending")
    assert "Nothing matches these filters." in await read(client, f"{QUEUE}?state=completed")
    assert "Nothing matches these filters." in await read(client, f"{QUEUE}?q=nothing-of-this-name")


async def test_many_are_looked_at_first_and_then_cancelled(web: Web, studio: Studio) -> None:
    waiting, failed = await studio.ask(), await studio.fail(await studio.ask())
    client = await visitor(web, "haeundae", lang="ko")
    look = await read(client, f"{QUEUE}/bulk?event=cancel&id={waiting.id}&id={failed.id}")
    sent = await client.post(f"{QUEUE}/bulk/send", data={"event": "cancel", "id": [str(waiting.id), str(failed.id)]})

    assert "처리할 작업" in look
    assert "그대로 둘 작업" in look
    assert sent.status_code == 303
    assert [(await studio.see(one.id)).state for one in (waiting, failed)] == ["cancelled", "failed"]


async def test_all_failed_begin_again_by_one_button(web: Web, studio: Studio) -> None:
    failed = [await studio.fail(await studio.ask()) for _ in range(2)]
    client = await visitor(web, "haeundae", lang="ko")
    page = await read(client, f"{QUEUE}?state=failed")
    await client.post(f"{QUEUE}/retry-failed", data={})

    assert "실패 모두 다시 시도" in page
    assert "복사만 다시" in page
    assert [(await studio.see(one.id)).state for one in failed] == ["pending", "pending"]


async def test_another_unit_sees_none_of_it_and_changes_nothing(web: Web, studio: Studio) -> None:
    job = await studio.ask("SECRET NAME")
    other = await visitor(web, "gangnam")

    assert f'id="render-{job.id}"' not in await read(other, QUEUE)
    for verb, data in (
        ("cancel", {}),
        ("retry", {}),
        ("priority", {"priority": "low"}),
        ("on-air", {}),
        ("release", {}),
    ):
        assert (await other.post(f"{QUEUE}/jobs/{job.id}/{verb}", data=data)).status_code == 404
    await other.post(f"{QUEUE}/bulk/send", data={"event": "cancel", "id": str(job.id)})
    assert (await studio.see(job.id)).state == "pending"
