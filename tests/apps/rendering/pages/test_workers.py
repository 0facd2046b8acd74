"""Workers, what is stuck, and the path doctor."""

from datetime import timedelta

import pytest

from pabal.apps.rendering.store import slots
from pabal.base import clock
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.studio import COMPOSITION, NAME, Studio, slot_id
from tests.support.web import Web

WORKERS = "/render/workers"


async def test_a_worker_shows_its_job_and_its_verbs_change_it(web: Web, studio: Studio) -> None:
    await studio.submit(await studio.ask())
    client = await visitor(web, lang="ko")
    busy = await read(client, WORKERS)
    await client.post(f"{WORKERS}/{slot_id(2)}/pause", data={"reason": "AE 업데이트"})
    paused = await read(client, WORKERS)
    await client.post(f"{WORKERS}/{slot_id(2)}/resume")
    await client.post(f"{WORKERS}/{slot_id(2)}/drain")
    await client.post(f"{WORKERS}/{slot_id(2)}/hours", data={"day": ["1", "2"], "begins": "09:00", "ends": "18:00"})
    drained = await read(client, WORKERS)

    assert "작업 중" in busy
    assert NAME in busy
    assert "AE 업데이트" in paused
    assert "꺼도 됩니다." in drained
    assert "월·화 09:00–18:00 (Asia/Seoul)" in drained


async def test_a_worker_says_how_many_it_completed_and_in_a_row(web: Web, studio: Studio) -> None:
    await studio.complete(await studio.ask())
    async with web.db.transaction() as tx:
        await slots.count_completed(tx, slot_id(1))
        await slots.count_completed(tx, slot_id(1))
    before = await read(await visitor(web, lang="ko"), WORKERS)
    async with web.db.transaction() as tx:
        await slots.note_failure(tx, slot_id(1), COMPOSITION, reason="nexrender_error", render_id=1, most=9)
    after = await read(await visitor(web), WORKERS)

    assert "연속 성공" in before
    assert "0 in a row" in after


async def test_a_template_that_a_worker_skips_is_shown_with_its_reason_and_given_back(web: Web, studio: Studio) -> None:
    async with web.db.transaction() as tx:
        await slots.note_failure(tx, slot_id(1), COMPOSITION, reason="nexrender_error", render_id=1, most=1)
    client = await visitor(web, lang="ko")
    page = await read(client, WORKERS)
    await client.post(f"{WORKERS}/{slot_id(1)}/allow", data={"composition_id": COMPOSITION})

    assert f"{NAME} 제외" in page
    assert "After Effects 또는 nexrender에서 오류가 났습니다." in page
    assert "제외" not in await read(client, WORKERS)


async def test_a_branch_sees_workers_without_the_jobs_and_machines_of_others(web: Web, studio: Studio) -> None:
    await studio.submit(await studio.ask(unit="gangnam"))
    branch = await visitor(web, "haeundae", lang="ko")
    page = await read(branch, WORKERS)

    assert "다른 조직의 작업" in page
    assert "render-1" not in page
    assert NAME not in page
    for verb in ("pause", "resume", "drain", "look"):
        assert (await branch.post(f"{WORKERS}/{slot_id(1)}/{verb}")).status_code == 403
    assert (await branch.post(f"{WORKERS}/{slot_id(1)}/release")).status_code == 404


@pytest.mark.req("B-120")
async def test_what_is_stuck_is_listed_with_why_and_let_go(web: Web, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    client = await visitor(web, "haeundae", lang="ko")
    before = await read(client, "/render/workers/stuck")
    await clock.advance(web.db, timedelta(minutes=6))
    slow = await read(client, "/render/workers/stuck")
    await clock.advance(web.db, timedelta(minutes=30))
    lost = await read(client, "/render/workers/stuck")
    await client.post("/render/workers/stuck/release", data={})

    assert "멈춘 작업이 없습니다." in before
    assert "오랫동안 진행이 없습니다." in slow
    assert "맡은 워커에서 신호가 없습니다." in lost
    assert [(one.state, one.worker_id, one.recovery_count) for one in [await studio.see(job.id)]] == [
        ("pending", None, 1)
    ]


async def test_the_path_doctor_is_the_head_offices_and_names_what_is_wrong(web: Web, studio: Studio) -> None:
    (studio.folder / "templates" / "chips.aep").unlink()
    page = await read(await visitor(web, lang="ko"), "/render/workers/paths")

    assert str(studio.folder / "nas" / "output") in page
    assert "\\\\NAS\\broadcast\\output" in page
    # its template is nowhere
    assert "chips.aep" in page
    assert "문제" in page
    await read(await visitor(web, "haeundae"), "/render/workers/paths", status=403)
    await read(await visitor(web, "hq", Role.OPERATOR), "/render/workers/paths", status=403)
