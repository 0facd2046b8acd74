"""Jobs: what there is to do, what is being done and how it ended."""

from fastapi.responses import Response

from pabal.api.parts import DryRun, JobId, answer, may_read, noun
from pabal.base.database import Tx
from pabal.engine import ids, listing, queue
from pabal.engine.queue import Place
from pabal.platform import operating
from pabal.platform.operating import Done
from pabal.platform.web.etags import answer_one
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.rest import rest
from pabal.platform.web.visit import Visit
from pabal.resources.work import (
    JOB,
    AttemptView,
    JobResultView,
    WholeJobView,
    view_attempt,
    view_result,
    view_whole_job,
)

router = noun("jobs")
AREA = JOB.area
rest(router, JOB)


@router.get("/jobs/{id}", response_model=model_of(WholeJobView))
async def get_job(visit: Visitor, id: JobId) -> Response:
    """Shows one job."""
    async with visit.read() as tx:
        place = await _find(tx, visit, id)
        [line] = await listing.show_jobs(tx, [place.id])
        attempts = await queue.list_attempts(tx, place.id)
    return answer_one(visit, view_whole_job(line, place, attempts))


@router.get("/jobs/{id}/attempts", response_model=Page[model_of(AttemptView)])  # type: ignore[misc]  # made from the view
async def list_attempts(visit: Visitor, id: JobId) -> Response:
    """Lists the tries of a job, the first one first."""
    async with visit.read() as tx:
        place = await _find(tx, visit, id)
        found = await queue.list_attempts(tx, place.id)
    return answer_all([view_attempt(one) for one in found])


@router.post("/jobs/{id}/cancel", response_model=model_of(JobResultView))
async def cancel_job(visit: Visitor, once: OnceOnly, id: JobId, dry_run: DryRun = False) -> Response:
    """Cancels a job: at once if it waits, by a signal if it runs."""

    async def act(tx: Tx) -> Response:
        known = visit.site.kinds
        [done] = await operating.cancel_jobs(
            tx, visit.actor, [ids.show("job", id)], kinds=known, owners=visit.site.owners, dry_run=dry_run
        )
        return _done(done)

    return await once.run(act)


@router.post("/jobs/{id}/retry", response_model=model_of(JobResultView), status_code=202)
async def retry_job(visit: Visitor, once: OnceOnly, id: JobId, dry_run: DryRun = False) -> Response:
    """Enqueues a job that went wrong again, as a new job."""

    async def act(tx: Tx) -> Response:
        done = await operating.retry_job(
            tx, visit.actor, ids.show("job", id), owners=visit.site.owners, dry_run=dry_run
        )
        return answer(view_result(done), 202, location=f"/jobs/{done.made or done.id}")

    return await once.run(act)


def _done(done: Done) -> Response:
    if done.error is not None:
        raise done.error
    return answer(view_result(done))


async def _find(tx: Tx, visit: Visit, job_id: int) -> Place:
    may_read(visit, AREA)
    return await operating.get_job(tx, visit.scope, ids.show("job", job_id))
