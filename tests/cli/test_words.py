"""Both languages say the same things with the same values, and every code has its words."""

import re
from pathlib import Path
from string import Formatter

import pabal.cli
from pabal.cli.words import WORDS, find, say

SOURCES = Path(pabal.cli.__file__).parents[1]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_take_the_same_values() -> None:
    unlike = [key for key, (english, korean) in WORDS.items() if fields(english) != fields(korean)]

    assert unlike == []


def test_every_word_a_command_says_is_in_the_catalogue() -> None:
    said = re.compile(r"""(?:say|tell|confirm)\(\s*"([a-z_.]+)["]""")

    missing = [
        f"{path.name}: {key}"
        for path in (SOURCES / "cli").glob("*.py")
        for key in said.findall(path.read_text(encoding="utf-8"))
        if key not in WORDS
    ]

    assert missing == []


def test_every_advice_of_a_story_has_a_command() -> None:
    text = (SOURCES / "engine" / "why.py").read_text(encoding="utf-8")
    advised = {
        code
        for group in re.findall(r"\[((?:\"[a-z_]+\"(?:, )?)+)\]", text)
        for code in re.findall(r'"([a-z_]+)"', group)
    }

    assert [
        code for code in advised - {"worker", "scheduler", "schedule_id", "fire_at"} if f"advice.{code}" not in WORDS
    ] == []
    assert {"retry_job", "start_server"} <= advised


def test_every_empty_list_and_every_check_has_its_words() -> None:
    for path in (SOURCES / "cli").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        keys = re.findall(r'empty="([a-z_.]+)"', text) + [
            f"doctor.{name}" for name in re.findall(r'Check\("([a-z_]+)"', text)
        ]
        assert [key for key in keys if key not in WORDS] == [], path.name


def test_a_word_is_said_in_the_language_asked_for() -> None:
    assert say("en", "hint.why", id="job_1") == "More: pabal why job_1"
    assert say("en", "top.needs", n=1) == "1 thing needs you"
    assert find("ko", "state.running") == "진행"
    assert find("ko", "state.unheard_of") is None
