"""One render's page: stages with their times, raw states, what was sent, the mapping, the log, the film, the verbs."""

import re
from datetime import timedelta

import pytest

from pabal.apps.rendering.model.renders import Reason, RenderState
from pabal.base import clock
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.studio import NAME, Studio
from tests.support.web import Web


@pytest.mark.req("B-22", "B-49")
async def test_a_render_under_way_tells_where_it_stands_and_how_long_each_stage_usually_takes(
    web: Web, studio: Studio
) -> None:
    job = await studio.submit(await studio.ask(), 45)
    await clock.advance(web.db, timedelta(seconds=66))
    page = await read(await visitor(web, "haeundae", lang="ko"), f"/render/jobs/{job.id}")

    assert "렌더링 45% · 약" in page
    # this machine's own seconds go on meanwhile
    assert re.search(r"1분 \d+초째 · 보통 1분 15초", page)
    assert "<code>render:dorender</code>" in page
    assert "Slot 3 - nickname" in page
    assert "1개 건너뜀" in page
    assert f"Worker#1 | Job#{job.id} | status: preparing → rendering" in page
    assert '"composition": "_MAIN Mini Chip Count"' in page
    assert "KIM MINJAE" in page


async def test_a_failure_says_why_and_what_to_do_and_offers_only_the_copy(web: Web, studio: Studio) -> None:
    job = await studio.fail(await studio.ask())
    client = await visitor(web, "haeundae", lang="ko")
    page = await read(client, f"/render/jobs/{job.id}")
    done = await client.post(f"/render/jobs/{job.id}/retry", data={"stage": "copy"})

    assert "NAS에 쓸 수 없습니다." in page
    assert "다시 렌더링하지 않습니다." in page
    assert "NAS 복사만 다시" in page
    assert "no answer from /mnt/nas" in page
    assert done.status_code == 303
    assert (await studio.see(job.id)).stage == "copy"


async def test_every_reason_has_advice_or_needs_none(web: Web, studio: Studio) -> None:
    for reason in (Reason.TEMPLATE_MISSING, Reason.NEXRENDER_UNREACHABLE, Reason.POISON_JOB):
        job = await studio.fail(await studio.ask(), reason, has_file=False)
        page = await read(await visitor(web, "haeundae", lang="ko"), f"/render/jobs/{job.id}")
        assert "다시 시도" in page
        assert "NAS 복사만 다시" not in page


async def test_a_finished_render_shows_its_film_and_its_path_to_copy(web: Web, studio: Studio) -> None:
    job = await studio.complete(await studio.ask())
    later = await studio.ask("LEE")
    client = await visitor(web, "haeundae", lang="ko")
    page = await read(client, f"/render/jobs/{job.id}")
    compared = await read(client, f"/render/jobs/{later.id}")

    assert f'src="/api/v1/render/jobs/{job.id}/video"' in page
    assert f"/api/v1/render/jobs/{job.id}/pictures/middle" in page
    assert "\\\\NAS\\broadcast\\output\\" in page
    assert str(studio.folder / "nas" / "output") in page
    assert "1920×1080 h264 · 12.0초" in page
    assert f"/api/v1/render/jobs/{job.id}/pictures/first" in compared


async def test_a_finished_film_is_shown_beside_the_one_before_it(web: Web, studio: Studio) -> None:
    first = await studio.complete(await studio.ask())
    await clock.advance(web.db, timedelta(minutes=5))
    second = await studio.complete(await studio.ask("LEE"))
    client = await visitor(web, "haeundae", lang="ko")
    alone = await read(client, f"/render/jobs/{first.id}")
    compared = await read(client, f"/render/jobs/{second.id}")

    assert "지난 결과" not in alone
    assert f"/render/jobs/{second.id}" not in alone
    for each in (first, second):
        for which in ("first", "middle", "last", "loop"):
            assert f'src="/api/v1/render/jobs/{each.id}/pictures/{which}"' in compared
    assert "이번 결과" in compared


async def test_the_verbs_of_the_page_do_what_they_say(web: Web, studio: Studio) -> None:
    job = await studio.ask()
    client = await visitor(web, "haeundae")
    at = f"/render/jobs/{job.id}"
    await client.post(f"{at}/priority", data={"priority": "urgent"})
    await client.post(f"{at}/on-air", data={"at": "2080-01-01T20:15"})
    changed = await studio.see(job.id)
    await client.post(f"{at}/cancel", data={"reason": "교체"})
    cancelled = await studio.see(job.id)

    assert (changed.priority, changed.on_air_at is not None) == (0, True)
    assert (cancelled.state, cancelled.error_message) == (RenderState.CANCELLED, "교체")


@pytest.mark.req("B-104")
async def test_the_log_is_downloaded_in_the_form_of_the_requirements(web: Web, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    client = await visitor(web, "haeundae", Role.VIEWER)
    log = await client.get(f"/render/jobs/{job.id}/log.txt")

    assert log.text.splitlines()[-1].endswith(f" INFO | Worker#1 | Job#{job.id} | status: preparing → rendering")
    assert log.text.startswith("[")


async def test_another_unit_finds_no_page_and_no_log(web: Web, studio: Studio) -> None:
    job = await studio.submit(await studio.ask())
    other = await visitor(web, "gangnam")

    assert NAME not in await read(other, f"/render/jobs/{job.id}", status=404)
    await read(other, f"/render/jobs/{job.id}/log.txt", status=404)
