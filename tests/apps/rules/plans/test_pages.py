"""Plans and remembered cases in the console: what they show to whom, and what their forms do."""

from pathlib import Path

import pytest

from pabal.apps.rules.plans.wording import show_value
from pabal.apps.rules.recall.actions import teach_case
from pabal.apps.rules.recall.model import CaseKind
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import Role
from tests.support.people import person
from tests.support.planning import NEWS, NOTICE, PlansWorld
from tests.support.web import SECRET, Web

PLANS = "/rules/plans"


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.rules", secret_key=SECRET)


@pytest.fixture
def world(web: Web, tmp_path: Path) -> PlansWorld:
    return PlansWorld(web.db, web.tree, tmp_path)


async def ask(web: Web, world: PlansWorld, request: str = NEWS) -> str:
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    answer = await client.post(f"{PLANS}/new", data={"request": request})
    assert answer.status_code == 303, answer.text
    await world.drain()
    return answer.headers["location"].partition("?")[0]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("Steps and effects", "Before it runs", "Writes files", "Approve and run", "Nothing has run")),
        ("ko", ("단계와 영향", "실행 전 확인", "파일 쓰기", "승인하고 실행", "아직 아무것도 실행하지 않았습니다")),
    ],
)
async def test_a_plan_shows_what_it_does_and_what_it_may_cost(
    web: Web, world: PlansWorld, lang: str, words: tuple[str, ...]
):
    here = await ask(web, world)
    client = await web.as_("haeundae", Role.OPERATOR, by="session", **{"Accept-Language": lang})

    page = await client.get(here)
    listed = await client.get(PLANS)

    assert page.status_code == 200
    assert [
        word for word in (*words, "rules.report@1", "기사 찾기", "← search.articles") if word not in page.text
    ] == []
    assert page.text.count('class="pb-flow-step') == 4
    assert NEWS in listed.text
    assert 'id="models"' in listed.text


@pytest.mark.parametrize(
    ("lang", "rights"), [("en", "Automation: write, Workflows: write"), ("ko", "자동화: 쓰기, 워크플로우: 쓰기")]
)
async def test_the_rights_a_plan_takes_are_said_in_words(web: Web, world: PlansWorld, lang: str, rights: str):
    here = await ask(web, world)
    client = await web.as_("haeundae", Role.OPERATOR, by="session", **{"Accept-Language": lang})

    pages = [(await client.get(here)).text, (await client.get("/approvals")).text]

    assert [rights in page for page in pages] == [True, True]
    assert [
        word for page in pages for word in ("rules:write", "workflows:write", "model:offline") if word in page
    ] == []


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("the built-in planner", "Without a language model only news, reports, notices and waits")),
        ("ko", ("내장 플래너", "언어 모델 없이는 뉴스·보고서·알림·기다림만 알아듣습니다")),
    ],
)
async def test_why_no_plan_came_of_a_request_is_said_in_the_readers_language(
    web: Web, world: PlansWorld, lang: str, words: tuple[str, ...]
):
    here = await ask(web, world, "파이썬으로 게임을 짜 줘")
    client = await web.as_("haeundae", Role.OPERATOR, by="session", **{"Accept-Language": lang})

    page, listed = (await client.get(here)).text, (await client.get(PLANS)).text

    assert [word for word in words if word not in page or word not in listed] == []
    assert "cannot:" not in page


def test_what_a_step_is_given_is_shown_as_its_reader_judges_it():
    values = ({"from": "steps.search.articles"}, {"text": "a {steps.x.y}"}, "AI", 7, {"from": "x", "more": 1}, ["a"])

    shown = [show_value(one) for one in values]

    assert shown == ["← search.articles", "a {steps.x.y}", "AI", "7", '{"from": "x", "more": 1}', '["a"]']


async def test_approving_on_its_page_runs_it_and_the_page_says_what_it_became(web: Web, world: PlansWorld):
    here = await ask(web, world, "'회의 시작'이라고 알려줘")
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    page = (await client.get(here)).text
    action = page.split('action="/approvals/')[1].split('"')[0]

    done = await client.post(f"/approvals/{action}", data={"verdict": "approve", "back": here})
    assert done.status_code == 303, done.text
    await world.drain()

    page = (await client.get(here)).text
    assert "What it became" in page
    assert "/workflows/runs/" in page


async def test_a_no_on_its_page_needs_its_reason_and_so_does_one_to_many(web: Web, world: PlansWorld):
    here = await ask(web, world)
    client = await web.as_("haeundae", Role.OPERATOR, by="session")
    page = (await client.get("/approvals")).text
    action = page.split('action="/approvals/')[1].split('"')[0]
    [shown] = [one["id"] for one in (await (await web.as_("haeundae")).get("/api/v1/approvals")).json()["items"]]

    silent = await client.post(f"/approvals/{action}", data={"verdict": "reject", "reason": " ", "back": here})
    many = {"noun": "platform.approvals", "verb": "reject", "id": [shown], "once": "a"}
    bulk = await client.post("/bulks", data=many)
    still = (await client.get("/approvals")).text
    done = await client.post(f"/approvals/{action}", data={"verdict": "reject", "reason": "다음 주에", "back": here})

    field = page.split('name="reason"')[1].split(">")[0]
    assert ("required" in field, "(optional)" in page) == (True, False)
    assert (silent.status_code, "Say why not" in silent.text) == (422, True)
    assert "0 done, 1 left as they were" in (await client.get(bulk.headers["location"])).text
    assert f'action="/approvals/{action}"' in still
    assert done.status_code == 303


async def test_who_may_only_look_is_offered_nothing_and_another_branch_finds_nothing(web: Web, world: PlansWorld):
    here = await ask(web, world)
    viewer = await web.as_("haeundae", Role.VIEWER, by="session")
    stranger = await web.as_("gangnam", Role.ADMIN, by="session")

    page = await viewer.get(here)

    assert page.status_code == 200
    assert "Approve and run" not in page.text
    assert (await viewer.post(f"{PLANS}/new", data={"request": NEWS})).status_code == 403
    assert (await stranger.get(here)).status_code == 404
    assert (await stranger.post(f"{here}/withdraw")).status_code == 404


async def test_the_forms_edit_withdraw_and_draft_again(web: Web, world: PlansWorld):
    here = await ask(web, world)
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    wrong = await client.post(f"{here}/edit", data={"yaml": NOTICE.replace("notify", "shout")})
    right = await client.post(f"{here}/edit", data={"yaml": NOTICE})
    assert (wrong.status_code, right.status_code) == (422, 303)
    assert "no kind of step named platform.shout" in wrong.text
    assert "안녕하세요" in (await client.get(here)).text

    assert (await client.post(f"{here}/withdraw")).status_code == 303
    assert (await client.post(f"{here}/redo", data={"remark": "더 짧게"})).status_code == 303
    await world.drain()
    assert "더 짧게" in (await client.get(here)).text
    assert (await client.get(f"{here}/edit")).status_code == 200


async def test_a_request_without_words_is_shown_with_the_reason(web: Web):
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    answer = await client.post(f"{PLANS}/new", data={"request": " "})

    assert (answer.status_code, "2,000 characters" in answer.text) == (422, True)


async def test_a_plan_shows_its_examples_with_why_and_they_can_be_pinned_and_banned(web: Web, world: PlansWorld):
    async with web.db.transaction() as tx:
        near = {"request": "어제 AI 뉴스 요약해서 보고서", "answer": NOTICE, "kind": CaseKind.PLAN}
        case = await teach_case(tx, person(web.tree.haeundae), **near)
    here = await ask(web, world)
    client = await web.as_("haeundae", Role.OPERATOR, by="session")

    page = (await client.get(here)).text
    assert ("어제 AI 뉴스" in page, "shares words: ai, 뉴스, 요약해서, 보고서" in page) == (True, True)
    for verb, word in (("pin", "pinned"), ("ban", "never used"), ("reset", "used when near")):
        answer = await client.post(f"/rules/cases/{case.id}/{verb}", data={"back": here})
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, here)
        assert word in (await client.get("/rules/cases")).text
    assert (await client.post(f"/rules/cases/{case.id}/forget")).status_code == 303
    assert "어제 AI 뉴스" not in (await client.get("/rules/cases")).text
    stranger = await web.as_("gangnam", Role.ADMIN, by="session")
    assert (await stranger.post(f"/rules/cases/{case.id}/pin")).status_code == 404
