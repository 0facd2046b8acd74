"""The real Gemini CLI, as a process, against a stand-in of its API: what it is given, and what it may do."""

import json
import os
from pathlib import Path

import pytest

from pabal.apps.rules.skills import settings
from pabal.apps.rules.skills.errors import ModelNotSignedIn
from pabal.apps.rules.skills.llm import AskLimits, GeminiLlm
from pabal.base.database import Database
from tests.apps.rules.gemini.install import GEMINI
from tests.cli.inside import Inside
from tests.support.gemini_api import GeminiApi, gemini_api
from tests.support.planning import make_planning
from tests.support.rules import RulesWorld

pytestmark = [
    pytest.mark.slow,
    pytest.mark.beside,
    pytest.mark.skipif(GEMINI.find_modules() is None, reason=GEMINI.skipped),
]
LIMITS = AskLimits(seconds=120)
GOOD = (
    "=== fx/alert.py\nfrom pabal_rules import rule\n\n\n@rule('fx/alert')\n"
    "async def alert(payload, context):\n    return 1\n=== tests/test_alert.py\ndef test_alert():\n    pass\n"
)
PLAN = "name: hello\nsteps:\n  - {name: tell, kind: platform.notify, input: {title: 안녕하세요}}\n"
BROKEN = GOOD.replace("async def", "def")


def find_program() -> Path:
    modules = GEMINI.find_modules()
    assert modules is not None
    return modules / ".bin/gemini"


def gemini(api: GeminiApi, **more: str) -> GeminiLlm:
    environment = {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": api.url, **more}
    return GeminiLlm(str(find_program()), environment)


@pytest.mark.req("D-44")
async def test_a_draft_by_the_real_gemini_is_for_its_reader_to_take_over(
    run: Inside, world: RulesWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "scripts"
    await run("rule", "init", str(folder))
    before = sorted(folder.rglob("*.py"))
    async with gemini_api(BROKEN, GOOD) as api:
        await run("config", "set", "rules.llm", "gemini")
        monkeypatch.setenv("GEMINI_API_KEY", "k")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", api.url)
        monkeypatch.setenv("PATH", f"{find_program().parent}{os.pathsep}{os.environ['PATH']}")
        done = await run("rule", "draft", "환율이 오르면 알려줘", "--repository", str(folder))

    assert done.code == 0, done.err
    assert "+++ b/fx/alert.py" in done.out
    assert "2 calls, 28 tokens" in done.err
    assert "must be an async function" in json.dumps(api.asked[-1])
    assert all(path.startswith("/v1beta/models/gemini-2.5-pro:") for path in api.paths)
    # nothing is there that a rule could run before somebody applies it
    assert sorted(folder.rglob("*.py")) == before


async def test_the_real_gemini_is_offered_no_tool_and_told_of_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "secret.txt").write_text("the server's secret")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PABAL_SECRET_KEY", "the server's secret")
    async with gemini_api("안녕하세요") as api:
        answer = await gemini(api).ask("인사해 줘", model="gemini-2.5-flash", limits=LIMITS)

    assert answer.text == "안녕하세요"
    assert (answer.tokens_in, answer.tokens_out, answer.is_estimated) == (11, 3, False)
    asked = [one for one in api.asked if "contents" in one]
    assert any("인사해 줘" in json.dumps(one, ensure_ascii=False) for one in asked)
    for one in asked:
        assert not [tool for tool in one.get("tools", []) if tool.get("functionDeclarations")]
        assert not [word for word in ("the server's secret", "secret.txt") if word in json.dumps(one)]


async def test_the_real_gemini_without_a_key_says_so():
    async with gemini_api("x") as api:
        with pytest.raises(ModelNotSignedIn):
            await gemini(api, GEMINI_API_KEY="").ask("x", model="gemini-2.5-flash", limits=LIMITS)


@pytest.mark.req("D-41", "D-44", "D-85")
async def test_a_plan_is_generated_by_the_real_gemini_without_a_tool_and_runs_after_approval(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with gemini_api(PLAN.replace("notify", "shout"), f"```yaml\n{PLAN}```") as api:
        planning = await make_planning(db, tmp_path)
        await planning.set(settings.LLM, "gemini")
        await planning.set(settings.GENERATING_MODEL, "gemini-2.5-pro")
        monkeypatch.setenv("GEMINI_API_KEY", "k")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", api.url)
        monkeypatch.setenv("PATH", f"{find_program().parent}{os.pathsep}{os.environ['PATH']}")
        kim = await planning.hire(planning.tree.haeundae)
        plan = await planning.ask(kim, "인사해 줘")

    assert (plan.state, plan.written_by) == ("proposed", "model:gemini-2.5-pro")
    asked = [one for one in api.asked if "contents" in one]
    assert len(asked) == 2
    assert "There is no kind of step named platform.shout here." in json.dumps(asked[1])
    for one in asked:
        assert not [tool for tool in one.get("tools", []) if tool.get("functionDeclarations")]
    assert all(path.startswith("/v1beta/models/gemini-2.5-pro:") for path in api.paths)
    first, second = await planning.answers(plan)
    assert (first.tokens_in, first.tokens_out, second.is_estimated) == (11, 3, False)
    plan = await planning.decide(kim, plan)
    # it runs without a model: the stand-in is gone
    assert (await planning.run_of(plan)).state == "done"
