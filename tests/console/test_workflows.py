"""Workflows in the console: saved from YAML, started, seen step by step, stopped and gone on with."""

from datetime import timedelta

from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.strands import Strands
from pabal.platform.actor import Role
from pabal.platform.platform_slice import make_step_kinds
from pabal.testing import Parts, advance, drain
from tests.support.web import Web

HELLO = """name: hello
title: 인사
input:
  who: {type: string, default: 여러분}
steps:
  - name: ask
    kind: platform.approval
    input: {title: {text: "{input.who}에게 인사할까요?"}}
  - name: tell
    kind: platform.notify
    input: {title: {text: "안녕하세요, {input.who}"}}
"""


async def test_a_workflow_is_saved_started_and_seen_step_by_step(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)

    saved = await operator.post("/workflows/new", data={"yaml": HELLO})
    there = saved.headers["location"]
    page = await operator.get(there)
    started = await operator.post(f"{there}/start", data={"given": '{"who": "부산"}'})
    run = await operator.get(started.headers["location"])
    listed = await operator.get("/workflows")

    assert saved.status_code == started.status_code == 303
    assert "인사" in page.text
    assert "platform.approval" in page.text
    assert "부산" in run.text
    assert started.headers["location"] in listed.text


async def test_every_mistake_is_said_with_its_line_and_what_was_written_stays(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)

    refused = await operator.post("/workflows/new", data={"yaml": HELLO.replace("platform.notify", "platform.shout")})

    assert refused.status_code == 422
    assert "platform.shout" in refused.text
    assert "10" in refused.text


async def test_another_unit_sees_neither_the_workflow_nor_its_runs_and_a_viewer_changes_nothing(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    there = (await operator.post("/workflows/new", data={"yaml": HELLO})).headers["location"]
    run = (await operator.post(f"{there}/start", data={"given": "{}"})).headers["location"]
    viewer = await web.as_("haeundae", Role.VIEWER)
    stranger = await web.as_("seoul", Role.ADMIN)

    seen = [(await viewer.get(one)).status_code for one in (there, run)]
    hidden = [(await stranger.get(one)).status_code for one in (there, run, f"{there}/yaml")]
    refused = [
        (await viewer.post(one)).status_code
        for one in (f"{there}/start", f"{there}/archive", f"{run}/pause", f"{run}/cancel")
    ]
    elsewhere = [(await stranger.post(one)).status_code for one in (f"{there}/start", f"{run}/cancel")]

    assert seen == [200, 200]
    assert hidden == [404, 404, 404]
    assert refused == [403] * 4
    assert elsewhere == [404, 404]


async def test_a_run_is_paused_goes_on_and_is_cancelled_with_a_reason(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    there = (await operator.post("/workflows/new", data={"yaml": HELLO})).headers["location"]
    run = (await operator.post(f"{there}/start", data={"given": "{}"})).headers["location"]
    number = int(run.rpartition("/")[2])
    states = []

    for verb, given in (("pause", {}), ("resume", {}), ("cancel", {"reason": "그만"})):
        await operator.post(f"{run}/{verb}", data=given)
        async with web.db.transaction() as tx:
            states.append((await listing.get_run(tx, number, units=None)).state)

    assert states == ["paused", "running", "stopping"]


async def test_what_cannot_be_read_as_input_is_said_and_starts_nothing(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    there = (await operator.post("/workflows/new", data={"yaml": HELLO})).headers["location"]

    refused = await operator.post(f"{there}/start", data={"given": "no json"})

    assert refused.status_code == 422
    assert "no json" in refused.text
    async with web.db.transaction() as tx:
        assert (await listing.list_runs(tx, listing.WantedRuns(None))).items == []


LATE = """name: late
title: 납품
steps:
  - {name: arrive, wait: {event: never}, time_limit: 1s}
"""


async def test_why_it_failed_and_whose_it_is_are_said_in_the_readers_language(web: Web) -> None:
    english, korean = [await web.as_("haeundae", Role.OPERATOR, **{"Accept-Language": lang}) for lang in ("en", "ko")]
    there = (await english.post("/workflows/new", data={"yaml": LATE})).headers["location"]
    run = (await english.post(f"{there}/start", data={"given": "{}"})).headers["location"]
    await advance(Parts(web.db, Strands(web.db, make_step_kinds(())).add_to(Kinds())), timedelta(seconds=2))

    rest = (await korean.get(f"/api/v1/workflow-runs/{run.rpartition('/')[2]}")).json()
    said = [(await client.get(path)).text for client in (english, korean) for path in (run, "/workflows", there)]

    assert (rest["reason_code"], rest["steps"][0]["error_code"]) == ("time_limit", "time_limit")
    assert rest["reason"] == "arrive: 제때 아무것도 오지 않았습니다"
    assert ["nothing came in time" in page for page in said] == [True] * 3 + [False] * 3
    assert ["제때 아무것도 오지 않았습니다" in page for page in said] == [False] * 3 + [True] * 3
    assert (rest["owner"] in said[0], rest["owner_name"] in said[0]) == (False, True)


NAMED = """name: named
steps:
  - {name: ask, title: 점장 승인, kind: platform.approval, input: {title: 보낼까요}}
  - {name: tell, title: 공지 보내기, kind: platform.notify, input: {title: 안녕}}
"""


async def test_steps_are_named_by_their_titles_and_who_waits_for_an_approval_leads_there(web: Web) -> None:
    operator = await web.as_("haeundae", Role.OPERATOR)
    there = (await operator.post("/workflows/new", data={"yaml": NAMED})).headers["location"]
    run = (await operator.post(f"{there}/start", data={"given": "{}"})).headers["location"]
    await drain(Parts(web.db, Strands(web.db, make_step_kinds(())).add_to(Kinds())))

    page = (await operator.get(run)).text

    assert page.count("공지 보내기") >= 3
    assert "Waits for other steps: 점장 승인" in page
    assert '<a class="link" href="/approvals">' in page
