"""Jobs in the console: the list, one of them, cancelling and enqueuing again; seen from both sides of a fence."""

from datetime import timedelta

from pabal.engine import ids, queue, reports, widths
from pabal.engine.kinds import Report, Stop
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import NewJob
from pabal.platform.actor import Role
from tests.support import work
from tests.support.pages import read, visitor
from tests.support.web import Web


async def put(web: Web, unit: str | None = "haeundae", kind: str = "demo.greet", **options: object) -> str:
    unit_id = None if unit is None else web.unit(unit).id
    async with web.db.transaction() as tx:
        made = await queue.enqueue(tx, NewJob(kind, unit_id=unit_id, **options))  # type: ignore[arg-type]
    return str(made)


async def place_of(web: Web, job: str) -> queue.Place:
    async with web.db.transaction() as tx:
        return await queue.get_place(tx, ids.read("job", job))


async def test_the_list_shows_where_each_job_is_and_why(web: Web) -> None:
    job = await put(web, about="kettle:7", lane="stove")
    client = await visitor(web, lang="ko")

    page = await read(client, "/jobs")

    assert job in page
    assert "준비됨" in page
    assert "kettle:7" in page
    assert f"/why/{job}" in page


async def test_a_branch_sees_its_own_jobs_and_not_a_neighbours_nor_the_houses(web: Web) -> None:
    mine, theirs, nobodys = await put(web, "haeundae"), await put(web, "nampo"), await put(web, None)
    client = await visitor(web, "haeundae")

    page = await read(client, "/jobs?view=all")

    assert mine in page
    assert theirs not in page
    assert nobodys not in page
    for other in (theirs, nobodys):
        await read(client, f"/jobs/{other}", 404)
        await read(client, f"/why/{other}", 404)
        assert (await client.post(f"/jobs/{other}/cancel")).status_code == 404


async def test_filters_narrow_the_list_and_an_empty_one_says_so(web: Web) -> None:
    job = await put(web, about="room:1")
    client = await visitor(web)

    assert job in await read(client, "/jobs?about=room:1")
    assert job in await read(client, "/jobs?state=ready")
    assert "Nothing matches these filters." in await read(client, "/jobs?about=room:2")
    assert "Nothing matches these filters." in await read(client, "/jobs?view=failed")


async def test_a_mistyped_cursor_shows_the_first_page(web: Web) -> None:
    job = await put(web)

    assert job in await read(await visitor(web), "/jobs?cursor=nonsense")


async def test_long_lists_go_on_where_they_stopped(web: Web) -> None:
    made = [await put(web) for _ in range(53)]
    client = await visitor(web)

    first = await read(client, "/jobs")
    second = await read(client, f"/jobs?cursor={made[3]}")

    assert f"cursor={made[3]}" in first
    assert [f'id="{job}"' in first for job in made] == [False] * 3 + [True] * 50
    assert [f'id="{job}"' in second for job in made] == [True] * 3 + [False] * 50


async def test_a_waiting_job_is_cancelled_and_can_be_enqueued_again(web: Web) -> None:
    job = await put(web, args={"n": 1}, records_end=True)
    client = await visitor(web, "busan", Role.OPERATOR)

    cancelled = await client.post(f"/jobs/{job}/cancel", data={"back": f"/jobs/{job}"})
    again = await client.post(f"/jobs/{job}/retry")

    assert cancelled.headers["location"] == f"/jobs/{job}"
    assert (await place_of(web, job)).result == "cancelled"
    made = await place_of(web, again.headers["location"].rpartition("/")[2])
    assert (made.args, made.records_end) == ({"n": 1}, True)


async def test_a_job_of_a_shared_lane_says_how_many_go_and_who_does(web: Web) -> None:
    await widths.declare_all(web.db, {"licence": 2})
    *holders, job = [await put(web, lane="licence:ae") for _ in range(3)]
    others = await put(web, "nampo", lane="licence:ae")

    page = await read(await visitor(web, "haeundae"), f"/jobs/{job}")
    hidden = await read(await visitor(web, "nampo"), f"/jobs/{others}")

    assert "licence:ae · at most 2 at once" in page
    assert all(holder in page for holder in holders)
    assert not any(holder in hidden for holder in holders)


async def test_a_job_that_waits_is_made_urgent_and_normal_again(web: Web) -> None:
    job = await put(web, delay=timedelta(hours=1))
    client = await visitor(web, "haeundae")

    assert "Make it urgent" in await read(client, f"/jobs/{job}")
    await client.post(f"/jobs/{job}/priority", data={"priority": "urgent"})
    urgent = (await place_of(web, job)).priority
    assert "Back to normal" in await read(client, f"/jobs/{job}")
    await client.post(f"/jobs/{job}/priority", data={"priority": "normal"})

    assert (urgent, (await place_of(web, job)).priority) == (0, 2)


async def test_many_are_cancelled_at_once_and_the_answer_counts(web: Web) -> None:
    mine, theirs = [await put(web) for _ in range(3)], await put(web, "gangnam")
    client = await visitor(web, "busan", Role.OPERATOR)

    answer = await client.post("/jobs/bulk", data={"action": "cancel", "id": [*mine, theirs], "back": "/jobs"})

    assert "3 of 4 done." in await read(client, answer.headers["location"])
    assert [(await place_of(web, job)).result for job in mine] == ["cancelled"] * 3
    assert (await place_of(web, theirs)).result is None


async def test_a_viewer_looks_but_has_no_buttons_and_no_rights(web: Web) -> None:
    job = await put(web)
    client = await visitor(web, "haeundae", Role.VIEWER)

    page, one = await read(client, "/jobs"), await read(client, f"/jobs/{job}")
    refused = [
        await client.post(f"/jobs/{job}/cancel"),
        await client.post(f"/jobs/{job}/retry"),
        await client.post("/jobs/bulk", data={"action": "cancel", "id": [job]}),
    ]

    assert "/jobs/bulk" not in page
    assert "/cancel" not in one
    assert [answer.status_code for answer in refused] == [403] * 3
    assert (await place_of(web, job)).result is None


async def test_what_a_job_says_is_text_and_never_markup(web: Web) -> None:
    job = await put(web, about="<script>alert(1)</script>", args={"x": "</pre><script>alert(2)</script>"})
    client = await visitor(web)

    for path in ("/jobs", f"/jobs/{job}", f"/why/{job}"):
        answer = await client.get(path)
        assert "<script>alert" not in answer.text


async def test_attempts_are_told_with_their_reasons(web: Web) -> None:
    job = await work.start(web.db)
    await work.settle(web.db, job, Retry("the kettle was too full", timedelta(minutes=1)))
    client = await visitor(web)

    page = await read(client, f"/jobs/{ids.show('job', job.id)}")

    assert "the kettle was too full" in page
    assert "failed, tried again" in page


async def test_what_a_job_gave_is_on_its_page(web: Web) -> None:
    job = await work.start(web.db)
    await work.settle(web.db, job, Done(data={"file": "out.mp4"}))
    client = await visitor(web, lang="ko")

    page = await read(client, f"/jobs/{ids.show('job', job.id)}")

    assert "남긴 값" in page
    assert "out.mp4" in page


async def test_how_far_a_job_is_and_where_it_goes_on_is_on_its_page(web: Web) -> None:
    job = await work.start(web.db)
    async with web.db.transaction() as tx:
        await reports.write(tx, None, [(job, Report({"percent": 10}))])
    await work.advance(web.db, 60)
    async with web.db.transaction() as tx:
        await reports.write(tx, None, [(job, Report({"percent": 40, "step": "우리는 중"}, {"frame": 12}))])
        await reports.note_stops(tx, [(job, Stop.STALL)])
    path = f"/jobs/{ids.show('job', job.id)}"

    korean = await read(await visitor(web, lang="ko"), path)
    english = await read(await visitor(web, lang="en"), path)
    part = (await (await visitor(web)).get(path, headers={"X-Fragment": "true"})).text

    assert 'aria-valuenow="40"' in part
    assert 'data-topics="job.progressed,job.ended"' in part
    for text in (
        "예상 완료",
        "마지막 보고",
        "우리는 중",
        "다음 시도가 이어 할 곳",
        '"frame": 12',
        "너무 오래 소식이 없음",
    ):
        assert text in korean, text
    for text in ("Through by", "Reported", "Where its next attempt goes on", "it reported nothing for too long"):
        assert text in english, text


async def test_a_job_that_reported_nothing_has_no_progress_to_show(web: Web) -> None:
    job = await work.start(web.db)
    client = await visitor(web, lang="en")

    assert 'role="meter"' not in (await client.get(f"/jobs/{ids.show('job', job.id)}")).text


async def test_a_story_is_a_page_or_a_drawer(web: Web) -> None:
    job = await put(web)
    client = await visitor(web)

    whole = await read(client, f"/why/{job}")
    part = (await client.get(f"/why/{job}", headers={"X-Fragment": "true"})).text

    assert "pb-side" in whole
    assert "pb-side" not in part
    assert "pb-why" in part
