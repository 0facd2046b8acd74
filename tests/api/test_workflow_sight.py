"""Who may not see a workflow finds nothing of its runs at the general doors either: no job, fact, state or question."""

from dataclasses import dataclass

import httpx2
import pytest

from pabal.engine import ids, reading
from pabal.engine.kinds import Kinds
from pabal.engine.listing import facts as fact_lists
from pabal.engine.listing import jobs as job_lists
from pabal.engine.workflows import listing
from pabal.engine.workflows.strands import Strands
from pabal.platform.actor import Actor, Role
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.tenants import visible_to
from pabal.testing import Parts, drain
from tests.support.web import Web

SECRET = """\
name: payroll
seen_by: admin
steps:
  - {name: ask, kind: platform.approval, input: {title: 급여를 올릴까요}}
"""
TITLE = "급여를 올릴까요"
OTHERS = [("haeundae", Role.VIEWER), ("haeundae", Role.OPERATOR), ("hq", Role.OPERATOR)]
# by whom each is used, an administrator finds the run there
DOORS = (
    "/api/v1/machines",
    "/api/v1/machines/workflow_run",
    "/api/v1/machines/workflow_run/subjects",
    "/api/v1/machines/workflow_run/subjects/{run}",
    "/api/v1/machines/workflow_run/subjects/{run}/history",
    "/api/v1/machines/workflow_run/subjects/{run}/state?at=2026-11-17T02:00:00Z",
    "/api/v1/machines/workflow_run/subjects/{run}/allowed-events",
    "/api/v1/machines/workflow_question/subjects",
    "/api/v1/jobs?about=workflow_run:{run}",
    "/api/v1/jobs/{job}",
    "/api/v1/why/{job}",
    "/api/v1/facts?subject=workflow_run:{run}",
    "/api/v1/facts?name=workflow_run.*",
    "/api/v1/approvals",
    "/api/v1/audit?about=workflow_run:{run}",
    "/api/v1/workflow-runs/{run}",
    "/api/v1/workflow-runs",
    "/api/v1/workflows",
)
PAGES = (
    "/jobs?view=all&about=workflow_run:{run}",
    "/jobs/{job}",
    "/why/{job}",
    "/facts?subject=workflow_run:{run}",
    "/facts/{fact}",
    "/machines",
    "/machines/workflow_run",
    "/machines/workflow_run/{run}",
    "/approvals",
    "/audit",
    "/audit.csv",
    "/search?q=workflow_run:{run}",
    "/workflows",
    "/workflows/runs/{run}",
)


@dataclass(frozen=True)
class Payroll:
    run: int
    job: str
    fact: int

    def at(self, path: str) -> str:
        return path.format(run=self.run, job=self.job, fact=self.fact)


@pytest.fixture
async def payroll(web: Web) -> Payroll:
    """A run of an administrator of Haeundae, which waits for a yes."""
    admin = await web.as_("haeundae", Role.ADMIN, by="session")
    saved = (await admin.post("/api/v1/workflows", json={"yaml": SECRET})).json()
    run = (await admin.post(f"/api/v1/workflows/{saved['id']}/start", json={})).json()["id"]
    await drain(Parts(web.db, Strands(web.db, make_step_kinds(())).add_to(Kinds())))
    async with web.db.transaction() as tx:
        about = f"workflow_run:{run}"
        [job] = (await job_lists.list_jobs(tx, job_lists.Wanted(None, about=about))).items
        [fact, *_] = (await fact_lists.list_facts(tx, fact_lists.Wanted(None, subject=about))).items
    return Payroll(run, ids.show("job", job.id), fact.seq)


def tells(answer: httpx2.Response, found: Payroll) -> bool:
    """Whether there is anything of the run in it. What was asked for comes back in a page's forms, and says nothing."""
    own = [TITLE, "payroll", f"/workflows/runs/{found.run}", found.job, "/machines/workflow_"]
    if "text/html" not in answer.headers["content-type"]:
        own += [f"workflow_run:{found.run}", "workflow.strand", "workflow_run"]
    return answer.status_code < 400 and any(one in answer.text for one in own)


async def test_an_administrator_finds_the_run_at_every_door(web: Web, payroll: Payroll):
    admin = await web.as_("haeundae", Role.ADMIN)

    silent = [door for door in DOORS if (await admin.get(payroll.at(door))).status_code != 200]

    assert silent == []
    assert TITLE in (await admin.get("/api/v1/approvals")).text


@pytest.mark.parametrize(("unit", "role"), OTHERS)
async def test_whoever_has_a_lesser_role_finds_nothing_of_it_by_rest(web: Web, payroll: Payroll, unit: str, role: Role):
    other = await web.as_(unit, role)

    telling = [door for door in DOORS if tells(await other.get(payroll.at(door)), payroll)]

    assert telling == []


@pytest.mark.parametrize("list_", ["workflow-runs", "workflows", "jobs", "facts"])
async def test_nor_in_an_export(web: Web, payroll: Payroll, list_: str):
    csv = {"Accept": "text/csv"}
    admin, other = await web.as_("haeundae", Role.ADMIN), await web.as_("haeundae", Role.OPERATOR)

    seen = [await one.get(f"/api/v1/{list_}", headers=csv) for one in (admin, other)]

    assert [tells(one, payroll) for one in seen] == [True, False]


@pytest.mark.parametrize(("unit", "role"), OTHERS)
async def test_nor_on_any_page(web: Web, payroll: Payroll, unit: str, role: Role):
    other = await web.as_(unit, role, by="session")

    telling = [page for page in PAGES if tells(await other.get(payroll.at(page)), payroll)]

    assert telling == []


async def test_nor_in_the_live_stream(web: Web, payroll: Payroll):
    async with web.db.transaction() as tx:
        start = reading.Cursor("1:1:")
        viewer = await visible_to(tx, Actor("user:0", None, Role.VIEWER, label="viewer"))
        admin = await visible_to(tx, Actor("user:0", None, Role.ADMIN, label="admin"))
        pages = [
            await reading.read_page(tx, start, reading.Wanted(units=scope.listed, veiled=scope.veiled))
            for scope in (viewer, admin)
        ]

    heard = [{fact.name.partition(".")[0] for fact in page.facts} for page in pages]
    assert heard[1] - heard[0] == {"workflow_run", "workflow_step", "workflow_question"}


async def test_an_operator_may_not_decide_what_is_asked_of_administrators(web: Web, payroll: Payroll):
    admin, operator = await web.as_("haeundae", Role.ADMIN), await web.as_("haeundae", Role.OPERATOR)
    [asked] = (await admin.get("/api/v1/approvals")).json()["items"]

    answer = await operator.post(f"/api/v1/approvals/{asked['id']}/decision", json={"verdict": "approve"})

    assert answer.status_code == 404


KEY = "hunter2-hunter2"
KEPT = """\
name: keeps
input: {key: {type: string, secret: true, required: true}}
steps:
  - {name: ask, kind: platform.approval, input: {title: 보낼까요, within: {from: input.key}}, on_error: skip}
  - {name: w, wait: {event: paid, key: {from: input.key}}}
output: {key: {text: "key={input.key}"}}
"""


async def test_a_secret_of_a_runs_input_is_seen_nowhere_not_even_by_administrators(web: Web):
    admin = await web.as_("haeundae", Role.ADMIN, by="session")
    saved = (await admin.post("/api/v1/workflows", json={"yaml": KEPT})).json()
    first = await admin.post(f"/api/v1/workflows/{saved['id']}/start", json={"input": {"key": KEY}})
    run = first.json()["id"]
    parts = Parts(web.db, Strands(web.db, make_step_kinds(())).add_to(Kinds()))
    await drain(parts)
    doors = (
        f"/api/v1/workflow-runs/{run}",
        "/api/v1/workflow-runs",
        f"/workflows/runs/{run}",
        "/workflows",
        f"/workflows/{saved['id']}",
        f"/workflows/{saved['id']}/yaml",
        f"/api/v1/jobs?about=workflow_run:{run}",
        f"/api/v1/facts?subject=workflow_run:{run}",
        f"/api/v1/machines/workflow_run/subjects/{run}/history",
        "/api/v1/audit",
    )

    waiting = [door for door in doors if KEY in (await admin.get(door)).text]
    await admin.post(f"/api/v1/workflow-runs/{run}/skip", json={"step": "w", "reason": "test"})
    await drain(parts)
    over = [door for door in doors if KEY in (await admin.get(door)).text]

    shown = (await admin.get(f"/api/v1/workflow-runs/{run}")).json()
    assert (first.text.count(KEY), waiting, over) == (0, [], [])
    assert (shown["state"], shown["output"], shown["input"]) == ("done", {"key": "key=•••"}, {"key": "•••"})
    # what is not seen can still be used again
    again = await admin.post(f"/api/v1/workflow-runs/{run}/again", json={"input": {"key": "•••"}})
    async with web.db.transaction() as tx:
        made = await listing.get_run(tx, again.json()["id"], units=None)
    assert made.input == {"key": KEY}
