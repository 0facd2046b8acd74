"""`pabal rule draft`: a proposal on stdout, by the model for generating; the folder stays as it is."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.inside import Inside
from tests.support.rules import RulesWorld


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


@pytest.mark.req("D-85")
async def test_it_is_the_model_for_generating_that_writes(
    run: Inside, world: RulesWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = (
        "import sys; sys.stdin.read(); print('=== a/b.py\\nfrom pabal_rules import rule\\n\\n\\n@rule(\\'a/b\\')\\n"
        "async def b(payload, context):\\n    return \\'' + sys.argv[1] + '\\'\\n=== tests/test_b.py\\n"
        "def test_b():\\n    pass')"
    )
    monkeypatch.setenv("PABAL_RULES_LLM_COMMAND", json.dumps([sys.executable, "-S", "-c", answer, "{model}"]))
    await run("config", "set", "rules.llm", "command")
    await run("config", "set", "rules.generating_model", "the-strong-one")
    await run("config", "set", "rules.running_model", "the-cheap-one")

    done = await run("rule", "draft", "무엇이든")

    assert done.code == 0, done.err
    assert "+    return 'the-strong-one'" in done.out


async def test_nothing_to_draft_is_refused(run: Inside, world: RulesWorld) -> None:
    done = await run("rule", "draft", " ")

    assert done.code != 0
    assert "bad_plan_request" in done.err
