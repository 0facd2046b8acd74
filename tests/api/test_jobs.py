"""Jobs through the API."""

from datetime import datetime, timedelta

from pabal.engine import ids, queue, reports
from pabal.engine.kinds import Report
from pabal.engine.outcome import Done
from pabal.engine.queue import NewJob
from pabal.platform.actor import Role
from tests.support import work
from tests.support.web import Web


async def add(web: Web, unit: str = "gangnam", **options: object) -> str:
    async with web.db.transaction() as tx:
        return str(await queue.enqueue(tx, NewJob("demo.greet", {"by": "x"}, unit_id=web.unit(unit).id, **options)))


async def test_a_job_is_listed_shown_and_cancelled(web: Web):
    job = await add(web, delay=timedelta(hours=1), about="oven:1")
    operator = await web.as_("gangnam", Role.OPERATOR)

    [listed] = (await operator.get("/api/v1/jobs?state=delayed&about=oven:1")).json()["items"]
    whole = (await operator.get(f"/api/v1/jobs/{job}")).json()
    cancelled = await operator.post(f"/api/v1/jobs/{job}/cancel")
    attempts = (await operator.get(f"/api/v1/jobs/{job}/attempts")).json()["items"]

    assert (listed["id"], listed["state"], listed["due_at"][-1]) == (job, "delayed", "Z")
    assert whole["args"] == {"by": "x"}
    assert (cancelled.status_code, cancelled.json()["result"]) == (200, "cancelled")
    assert [one["result"] for one in attempts] == ["cancelled"]


async def test_a_cancelled_job_is_retried_as_a_new_one(web: Web):
    job = await add(web)
    operator = await web.as_("gangnam", Role.OPERATOR)
    too_early = await operator.post(f"/api/v1/jobs/{job}/retry")
    await operator.post(f"/api/v1/jobs/{job}/cancel")

    retried = await operator.post(f"/api/v1/jobs/{job}/retry")
    made = await operator.get(retried.headers["Location"])

    assert (too_early.status_code, too_early.json()["code"]) == (409, "not_retryable")
    assert retried.status_code == 202
    assert (made.json()["id"], made.json()["cause"]) == (retried.json()["job"], job)


async def test_what_a_job_gave_is_shown_with_it(web: Web):
    job = await work.start(web.db, records_end=True, unit_id=web.unit("gangnam").id)
    await work.settle(web.db, job, Done(data={"file": "out.mp4"}))
    viewer = await web.as_("gangnam", Role.VIEWER)

    whole = (await viewer.get(f"/api/v1/jobs/{ids.show('job', job.id)}")).json()

    assert (whole["records_end"], whole["data"]) == (True, {"file": "out.mp4"})


async def test_the_deadline_of_a_running_job_is_its_handlers(web: Web):
    job = await work.start(web.db, unit_id=web.unit("gangnam").id, deadline=timedelta(hours=1))
    viewer = await web.as_("gangnam", Role.VIEWER)

    whole = (await viewer.get(f"/api/v1/jobs/{ids.show('job', job.id)}")).json()

    began, ends = (datetime.fromisoformat(whole[name]) for name in ("started_at", "deadline"))
    assert ends - began == timedelta(hours=1)


async def test_what_a_running_job_reported_is_shown_with_it(web: Web):
    job = await work.start(web.db, unit_id=web.unit("gangnam").id)
    viewer = await web.as_("gangnam", Role.VIEWER)
    for percent in (10, 40):
        await work.advance(web.db, 60)
        async with web.db.transaction() as tx:
            await reports.write(tx, None, [(job, Report({"percent": percent}, {"frame": percent}))])
    await work.cancel(web.db, job.id)

    whole = (await viewer.get(f"/api/v1/jobs/{ids.show('job', job.id)}")).json()
    [listed] = (await viewer.get("/api/v1/jobs?state=running")).json()["items"]

    assert (whole["progress"], whole["checkpoint"], whole["stop"]) == ({"percent": 40}, {"frame": 40}, "cancel")
    assert whole["estimated_at"] > whole["reported_at"]
    assert listed["estimated_at"] == whole["estimated_at"]


async def test_a_dry_run_changes_nothing(web: Web):
    job = await add(web)
    operator = await web.as_("gangnam", Role.OPERATOR)

    answer = await operator.post(f"/api/v1/jobs/{job}/cancel?dry_run=true")

    assert answer.json()["result"] == "would_cancel"
    assert (await operator.get(f"/api/v1/jobs/{job}")).json()["state"] == "ready"


async def test_many_at_once_each_have_their_result(web: Web):
    jobs = [await add(web) for _ in range(3)]
    operator = await web.as_("gangnam", Role.OPERATOR)
    asked = {"resource": "jobs", "action": "cancel"}

    part = await operator.post("/api/v1/bulk", json={**asked, "ids": [jobs[0], "job_0000000000000"]})
    rest = await operator.post("/api/v1/bulk", json={**asked, "filter": {"state": "ready"}})
    odd = await operator.post("/api/v1/bulk", json={**asked, "action": "pause", "ids": jobs})

    assert (part.json()["state"], [one["code"] for one in part.json()["results"]]) == (
        "partial",
        [None, "job_not_found"],
    )
    assert (rest.json()["state"], rest.json()["done"], rest.json()["has_more"]) == ("done", 2, False)
    assert odd.status_code == 422


async def test_why_is_told_in_the_language_asked_for(web: Web):
    job = await add(web)
    client = await web.as_("gangnam", Role.VIEWER)

    english = (await client.get(f"/api/v1/why/{job}")).json()
    spoken = (await client.get(f"/api/v1/why/{job}", headers={"Accept-Language": "ko"})).json()

    assert english["lines"][0]["text"] == "Enqueued."
    assert spoken["lines"][0]["text"] == "등록되었습니다."
    assert english["advice"] == spoken["advice"] != []
