"""The real Gemini CLI, as a process, against a stand-in of its API: what it is given, and what it may do."""

import json
from pathlib import Path

import pytest

from pabal.apps.rules.skills.errors import ModelNotSignedIn
from pabal.apps.rules.skills.llm import AskLimits, GeminiLlm
from tests.apps.rules.gemini.install import GEMINI
from tests.support.gemini_api import GeminiApi, gemini_api

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(GEMINI.find_modules() is None, reason=GEMINI.skipped),
]
LIMITS = AskLimits(seconds=120)


def gemini(api: GeminiApi, **more: str) -> GeminiLlm:
    modules = GEMINI.find_modules()
    assert modules is not None
    environment = {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": api.url, **more}
    return GeminiLlm(str(modules / ".bin/gemini"), environment)


@pytest.mark.req("D-44")
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
