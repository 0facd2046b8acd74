"""`pabal rule draft`: a proposal on stdout, by the model for generating; the folder stays as it is."""

import json
import sys
from pathlib import Path

import pytest

from pabal.apps.rules.recall.jobs import FillMeanings, make_recall_kinds
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.testing import Parts, drain
from tests.cli.inside import Inside
from tests.support.rules import RulesWorld

ANSWER = (
    "=== a/b.py\nfrom pabal_rules import rule\n\n\n@rule('a/b')\nasync def b(payload, context):\n    return 1\n"
    "=== tests/test_b.py\ndef test_b():\n    pass\n"
)


@pytest.mark.req("D-47")
async def test_a_draft_is_printed_and_nothing_is_written(run: Inside, world: RulesWorld, tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()

    done = await run("rule", "draft", "매일 아침 인사해 줘", "--repository", str(folder))

    assert done.code == 0, done.err
    assert done.out.startswith("diff --git a/drafts/draft_")
    assert "+def test_it_tells_what_it_is_given():" in done.out
    assert "매일 아침 인사해 줘" in done.out
    assert "tokens" in done.err
    assert list(folder.iterdir()) == []


@pytest.mark.req("D-13", "D-85")
async def test_it_is_the_model_for_generating_that_writes(
    run: Inside, world: RulesWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import sys; sys.stdin.read(); print({ANSWER!r}.replace('return 1', 'return ' + repr(sys.argv[1])))"
    monkeypatch.setenv("PABAL_RULES_LLM_COMMAND", json.dumps([sys.executable, "-S", "-c", code, "{model}"]))
    await run("config", "set", "rules.llm", "command")
    await run("config", "set", "rules.generating_model", "the-strong-one")
    await run("config", "set", "rules.running_model", "the-cheap-one")

    done = await run("rule", "draft", "무엇이든")

    assert done.code == 0, done.err
    assert "+    return 'the-strong-one'" in done.out


@pytest.mark.req("D-13")
async def test_the_owner_chooses_another_model_for_this_one_time(
    run: Inside, world: RulesWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import sys; sys.stdin.read(); print({ANSWER!r}.replace('return 1', 'return ' + repr(sys.argv[1])))"
    monkeypatch.setenv("PABAL_RULES_LLM_COMMAND", json.dumps([sys.executable, "-S", "-c", code, "{model}"]))
    await run("config", "set", "rules.llm", "command")
    await run("config", "set", "rules.generating_model", "the-strong-one")

    chosen = await run("rule", "draft", "무엇이든", "--model", "llama3.3:70b")
    after = await run("rule", "draft", "무엇이든")
    shell = await run("rule", "draft", "무엇이든", "--model", "x; rm -rf /")

    assert "+    return 'llama3.3:70b'" in chosen.out, chosen.err
    assert "+    return 'the-strong-one'" in after.out, after.err
    assert (shell.code != 0, "bad_model_name" in shell.err) == (True, True)


@pytest.mark.req("D-42")
async def test_a_case_that_means_the_same_is_an_example_too_and_it_is_said_why(run: Inside, world: RulesWorld) -> None:
    taught = ("--answer", "=== fx/good.py\nGOOD = 1\n", "--org", "해운대점", "-o", "json")
    case = await run("rule", "case", "new", "환율 오르면 알려줘", *taught)
    await run("config", "set", "rules.embedding", "offline")
    early = await run("rule", "draft", "달러 급등 통지")
    tools = make_tools(SkillsStartup())
    await FillMeanings(world.db, tools).run_once()
    await drain(Parts(world.db, make_recall_kinds(tools)))

    late = await run("rule", "draft", "달러 급등 통지")

    assert "Examples were looked for by words alone. The vectors of cases are being made." in early.err
    assert f"Example {case.json['id']}" not in early.err
    assert f"Example {case.json['id']} (1.00, means the same)" in late.err


@pytest.mark.req("D-42")
async def test_the_nearest_cases_are_the_models_examples(
    run: Inside, world: RulesWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "good.txt").write_text("=== fx/good.py\nGOOD = 1\n")
    shown = tmp_path / "prompt.txt"
    code = f"import sys; open({str(shown)!r}, 'w').write(sys.stdin.read()); print({ANSWER!r})"
    monkeypatch.setenv("PABAL_RULES_LLM_COMMAND", json.dumps([sys.executable, "-S", "-c", code]))
    await run("config", "set", "rules.llm", "command")
    taught = ("--answer", f"@{tmp_path / 'good.txt'}", "--org", "해운대점", "-o", "json")
    near = await run("rule", "case", "new", "환율이 오르면 텔레그램으로 알려줘", *taught)
    far = await run("rule", "case", "new", "부산 날씨 요약", "--answer", "=== weather.py", "--org", "해운대점")

    done = await run("rule", "draft", "환율 오르면 알려줘")
    listed = await run("rule", "case", "list", "--near", "환율 오르면 알려줘", "-o", "json")

    assert (near.code, far.code, done.code) == (0, 0, 0), near.err + far.err + done.err
    assert "GOOD = 1" in shown.read_text()
    assert "weather.py" not in shown.read_text()
    assert f"Example {near.json['id']}" in done.err
    [row] = listed.json["items"]
    assert (row["id"], row["words"]) == (near.json["id"], ["환율", "오르면", "알려줘"])


async def test_nothing_to_draft_is_refused(run: Inside, world: RulesWorld) -> None:
    done = await run("rule", "draft", " ")

    assert done.code != 0
    assert "bad_plan_request" in done.err
