"""One action on many things at once, each with its own result."""

from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field, TypeAdapter, model_validator

from pabal.api.jobs import AREA as JOBS
from pabal.api.parts import Asked, DryRun, ScheduleId, Shown, answer, noun
from pabal.base.database import Tx
from pabal.base.errors import Conflict, NotFound, PabalError
from pabal.engine import ids, listing, why
from pabal.engine.listing.jobs import Wanted
from pabal.platform import operating
from pabal.platform.actor import NotAllowed, Right
from pabal.platform.language.errors import explain
from pabal.platform.operating import Done
from pabal.platform.resources import case
from pabal.platform.web.endpoints import rules
from pabal.platform.web.filters import Org, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit
from pabal.resources.work import JobState

router = noun("bulk")
AT_ONCE = 200
_SCHEDULE: TypeAdapter[int] = TypeAdapter(ScheduleId)


class BulkFilter(Asked):
    """Which jobs, when their ids are not given."""

    state: JobState | None = Field(default=None, examples=["failed"])
    kind: Word | None = Field(default=None, examples=["messaging.send"])
    about: Word | None = None


class Bulk(Asked):
    """`ids` or, for jobs, a `filter`; at most 200 at once."""

    model_config = rules(
        {
            "oneOf": [
                case(resource={"const": "jobs"}, action={"enum": ["cancel", "retry"]}),
                case(resource={"const": "schedules"}, action={"enum": ["pause", "resume"]}),
            ]
        },
        {
            "oneOf": [
                case("ids", ids={"minItems": 1}, filter={"type": "null"}),
                case("filter", filter={"type": "object"}, ids={"maxItems": 0}, resource={"const": "jobs"}),
            ]
        },
    )

    resource: Literal["jobs", "schedules"] = Field(examples=["jobs"])
    action: Literal["cancel", "retry", "pause", "resume"] = Field(examples=["retry"])
    ids: Annotated[tuple[Word, ...], Field(max_length=AT_ONCE, examples=[["job_01h2xcejqtf2n"]])] = ()
    filter: BulkFilter | None = Field(default=None, examples=[None])

    @model_validator(mode="after")
    def fits(self) -> "Bulk":
        if (self.resource == "jobs") != (self.action in ("cancel", "retry")):
            raise ValueError("jobs are cancelled or retried, schedules paused or resumed")
        if bool(self.ids) == (self.filter is not None) or (self.filter and self.resource != "jobs"):
            raise ValueError("give ids, or for jobs a filter")
        return self


class BulkOne(Shown):
    """`code` and `detail` say why nothing was done."""

    id: str = Field(examples=["job_01h2xcejqtf2n"])
    result: str = Field(examples=["enqueued"])
    job: str | None = Field(examples=["job_01h2xcejqtf2p"])
    code: str | None = Field(examples=[None])
    detail: str | None = Field(examples=[None])


class BulkDone(Shown):
    """`has_more`: the filter holds more than were taken at once; ask again."""

    state: Literal["done", "partial", "failed"] = Field(examples=["done"])
    done: int = Field(examples=[1])
    failed: int = Field(examples=[0])
    has_more: bool = Field(examples=[False])
    results: list[BulkOne]


@router.post("/bulk", response_model=BulkDone)
async def act_on_many(
    visit: Visitor, once: OnceOnly, asked: Bulk, dry_run: DryRun = False, org: Annotated[Org, Query()] = None
) -> Response:
    """Cancels or retries many jobs, or pauses or resumes many schedules; each has its own result."""

    async def act(tx: Tx) -> Response:
        chosen, has_more = await _choose(tx, visit, asked)
        done = await _do(tx, visit, asked.action, chosen, dry_run=dry_run)
        results = [_show(visit, one) for one in done]
        failed = sum(one.code is not None for one in results)
        good = len(results) - failed
        return answer(
            BulkDone(state=_state(good, failed), done=good, failed=failed, has_more=has_more, results=results)
        )

    return await once.run(act)


async def _choose(tx: Tx, visit: Visit, asked: Bulk) -> tuple[list[str], bool]:
    if asked.filter is None:
        return list(asked.ids), False
    visit.actor.require(Right.READ, JOBS)
    states = () if asked.filter.state is None else (asked.filter.state,)
    wanted = Wanted(visit.scope.listed, states, asked.filter.kind, about=asked.filter.about, veiled=visit.scope.veiled)
    page = await listing.list_jobs(tx, wanted, limit=AT_ONCE)
    return [ids.show("job", line.id) for line in page.items], page.cursor is not None


async def _do(tx: Tx, visit: Visit, action: str, chosen: list[str], *, dry_run: bool) -> list[Done]:
    match action:
        case "cancel":
            kinds = visit.site.kinds
            return await operating.cancel_jobs(
                tx, visit.actor, chosen, kinds=kinds, owners=visit.site.owners, dry_run=dry_run
            )
        case "retry":
            return await operating.retry_jobs(tx, visit.actor, chosen, owners=visit.site.owners, dry_run=dry_run)
    return [await _schedule(tx, visit, action, text, dry_run=dry_run) for text in dict.fromkeys(chosen)]


async def _schedule(tx: Tx, visit: Visit, action: str, text: str, *, dry_run: bool) -> Done:
    verb = operating.pause_schedule if action == "pause" else operating.resume_schedule
    try:
        schedule_id = _SCHEDULE.validate_python(text)
        # what an app's verb refuses halfway is taken back, and the others go on
        async with tx.savepoint():
            await verb(tx, visit.actor, schedule_id, owners=visit.site.owners, dry_run=dry_run)
    except (NotFound, Conflict, NotAllowed) as error:
        return Done(text, "not_found" if isinstance(error, NotFound) else error.code, error)
    except ValueError as error:
        return Done(text, "bad_id", why.BadSubject(str(error)[:100]))
    return Done(text, "paused" if action == "pause" else "resumed")


def _state(good: int, failed: int) -> Literal["done", "partial", "failed"]:
    if not failed:
        return "done"
    return "partial" if good else "failed"


def _show(visit: Visit, done: Done) -> BulkOne:
    error: PabalError | None = done.error
    said = None if error is None else explain(error, visit.lang)
    return BulkOne(
        id=done.id, result=done.result, job=done.made, code=None if error is None else error.code, detail=said
    )
