"""Asking a language model, each way: what it gets, what it costs, and how it fails."""

import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from pabal.apps.rules.skills import errors
from pabal.apps.rules.skills.errors import (
    BadModelCommand,
    ModelNotInstalled,
    ModelNotSignedIn,
    ModelSaidTooMuch,
    ModelTooSlow,
    ModelUnavailable,
    PromptTooLong,
)
from pabal.apps.rules.skills.llm import (
    Answer,
    ApiLlm,
    AskLimits,
    CommandLlm,
    GeminiLlm,
    OfflineLlm,
    Price,
    read_command,
    read_gemini,
)

LIMITS = AskLimits()
PYTHON = (sys.executable, "-S", "-c")
DEAR = Price(Decimal("1.25"), Decimal(10))
# As Gemini CLI 0.61 answers with -o json; it says what it was called with and what it found.
GEMINI = """#!{python} -S
import json, os, sys
prompt = sys.stdin.read()
if "no key" in prompt:
    sys.stderr.write("Ripgrep is not available.\\n" + json.dumps({{"error": {{"message": "no auth", "code": 41}}}}))
    sys.exit(41)
if "over quota" in prompt:
    sys.stderr.write("warning\\n" + json.dumps({{"error": {{"message": "quota exceeded", "code": 1}}}}))
    sys.exit(1)
seen = {{
    "argv": sys.argv[1:], "prompt": prompt, "folder": os.listdir("."), "env": sorted(os.environ),
    "settings": json.load(open(os.path.expanduser("~/.gemini/settings.json"))),
}}
print(json.dumps({{"session_id": "s", "response": json.dumps(seen), "stats": {{"models": {{
    "gemini-2.5-flash": {{"tokens": {{"prompt": 1000, "candidates": 150, "thoughts": 50, "total": 1200}}}}}}}}}}))
"""


@pytest.fixture
def gemini(tmp_path: Path) -> str:
    program = tmp_path / "gemini"
    program.write_text(GEMINI.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.req("D-09")
async def test_any_program_that_reads_stdin_is_a_model():
    code = "import sys; print(sys.argv[1], sys.stdin.read()[::-1])"

    answer = await CommandLlm((*PYTHON, code, "{model}"), price=DEAR).ask("abc", model="small", limits=LIMITS)

    assert answer == Answer("small cba", 1, 3, Decimal("0.000031"), is_estimated=True)


async def test_a_model_that_is_a_shell_line_reaches_no_shell():
    code = "import sys; print(sys.argv[1])"

    answer = await CommandLlm((*PYTHON, code, "{model}"), {}).ask("x", model="$(id); `id`", limits=LIMITS)

    assert answer.text == "$(id); `id`"


async def test_a_program_gets_only_the_variables_that_were_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_DATABASE_URL", "postgresql://secret")
    code = "import os; print(os.environ.get('KEY'), os.environ.get('PABAL_DATABASE_URL'))"

    answer = await CommandLlm((*PYTHON, code), {"KEY": "k"}).ask("x", model="", limits=LIMITS)

    assert answer.text == "k None"


@pytest.mark.parametrize(
    ("code", "limits", "error"),
    [
        ("import time; time.sleep(600)", AskLimits(seconds=0.3), ModelTooSlow),
        ("print('x' * 5000)", AskLimits(most_output=1000), ModelSaidTooMuch),
        ("print('  ')", LIMITS, ModelUnavailable),
        ("raise SystemExit('no model loaded')", LIMITS, ModelUnavailable),
    ],
)
async def test_a_program_that_does_not_answer_says_why(code: str, limits: AskLimits, error: type[Exception]):
    with pytest.raises(error):
        await CommandLlm((*PYTHON, code)).ask("x", model="", limits=limits)


async def test_a_program_that_is_not_there_is_not_installed():
    with pytest.raises(ModelNotInstalled, match="no-such-model"):
        await CommandLlm(("no-such-model",)).ask("x", model="", limits=LIMITS)


@pytest.mark.req("D-09")
async def test_gemini_has_no_tools_an_empty_folder_and_a_home_of_its_own(gemini: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_SECRET_KEY", "the server's")

    answer = await GeminiLlm(gemini, {"GEMINI_API_KEY": "k"}, DEAR).ask("요약해", model="gemini-x", limits=LIMITS)

    seen = json.loads(answer.text)
    assert seen["prompt"] == "요약해"
    assert seen["settings"]["tools"] == {"core": []}
    assert seen["settings"]["mcpServers"] == {}
    assert seen["folder"] == []
    assert set(seen["env"]) <= {"GEMINI_API_KEY", "HOME", "LANG", "LC_CTYPE", "PABAL_RUN", "PATH", "TMPDIR"}
    assert seen["argv"][:4] == ["-o", "json", "-m", "gemini-x"]
    assert not {"-y", "--yolo"} & set(seen["argv"])


async def test_gemini_says_what_it_took(gemini: str):
    answer = await GeminiLlm(gemini, price=DEAR).ask("x", model="m", limits=LIMITS)

    assert (answer.tokens_in, answer.tokens_out, answer.is_estimated) == (1000, 200, False)
    assert answer.cost == Decimal("0.003250")


@pytest.mark.parametrize(
    ("prompt", "error", "detail"),
    [("no key", ModelNotSignedIn, "refused the key"), ("over quota", ModelUnavailable, "quota exceeded")],
)
async def test_gemini_says_why_it_refuses(gemini: str, prompt: str, error: type[Exception], detail: str):
    with pytest.raises(error, match=detail):
        await GeminiLlm(gemini).ask(prompt, model="m", limits=LIMITS)


@pytest.mark.parametrize("output", [b"", b"text", b"{}", b'{"response": null, "stats": {"models": {}}}', b"[]"])
def test_an_answer_of_another_shape_is_no_answer(output: bytes):
    with pytest.raises(ModelUnavailable):
        read_gemini(output, "x", LIMITS, DEAR)


async def test_a_prompt_that_is_too_long_costs_nothing():
    with pytest.raises(PromptTooLong):
        await CommandLlm(("never-started",)).ask("x" * 11, model="", limits=AskLimits(longest_prompt=10))


async def test_the_model_that_is_built_in_answers_the_same_every_time():
    text = "The price rose. The price of chips rose again today. It rained. Chips and price are watched."

    once, again = [await OfflineLlm().ask(text, model="any", limits=LIMITS) for _ in range(2)]

    assert once == again
    assert "price of chips rose" in once.text
    assert once.cost == 0


@pytest.mark.parametrize("text", ["ollama run", "[]", '["a", 1]', '{"a": 1}', '[""]'])
def test_a_command_is_a_list_of_words(text: str):
    with pytest.raises(BadModelCommand):
        read_command(text)


async def test_without_the_package_an_api_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    with pytest.raises(ModelNotInstalled, match=r"pabal\[llm\]"):
        await ApiLlm().ask("x", model="test", limits=LIMITS)


def test_every_error_has_its_korean_sentence():
    codes = {one.code for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__}

    assert codes == set(errors.KO)
