"""A script is understood without being run."""

from pathlib import Path
from textwrap import dedent

import pytest

from pabal.apps.rules.scripts import ScriptReason, ScriptUnusable, inspect_script
from pabal.apps.rules.scripts.inspecting import inspect_text
from tests.support.rule_scripts import Repository


def test_names_and_packages_are_found_and_nothing_is_run(repository: Repository, tmp_path: Path):
    ran = tmp_path / "ran"
    commit = repository.commit(
        check=f"""
        # /// script
        # dependencies = ["rich"]
        # ///
        import pabal_rules
        from pabal_rules import rule
        open({str(ran)!r}, "w")

        @rule("one")
        async def one(payload, context): ...

        @pabal_rules.rule(name="two")
        async def two(payload, context, more=None): ...
        """
    )
    repository.commit(check="")

    info = inspect_script(repository.folder, commit, "check.py")

    assert (info.script, info.names, info.dependencies, info.mistakes) == ("check.py", ("one", "two"), ("rich",), ())
    assert not ran.exists()


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("x = (\n", 1, "syntax"),
        ("x = 1\n", 1, "no_rule"),
        ("@rule\nasync def check(payload, context): ...\n", 1, "rule_name"),
        ("@rule(NAME)\nasync def check(payload, context): ...\n", 1, "rule_name"),
        ("\n@rule('a')\ndef check(payload, context): ...\n", 3, "not_async"),
        ("@rule('a')\nasync def check(payload): ...\n", 2, "parameters"),
        ("@rule('a')\nasync def check(payload, context, *, more): ...\n", 2, "parameters"),
        ("@rule('a')\nasync def a(p, c): ...\n@rule('a')\nasync def b(p, c): ...\n", 3, "rule_twice"),
        ("# /// script\n# dependencies = 3\n# ///\n@rule('a')\nasync def a(p, c): ...\n", 2, "metadata_broken"),
    ],
)
def test_a_mistake_has_its_line_in_both_languages(text: str, line: int, code: str):
    [mistake] = inspect_text("check.py", dedent(text)).mistakes

    assert (mistake.line, mistake.code) == (line, code)
    assert all(mistake.text)


def test_a_script_that_is_not_there_is_missing(repository: Repository):
    repository.commit(check="")

    with pytest.raises(ScriptUnusable) as unusable:
        inspect_script(repository.folder, None, "other.py")

    assert unusable.value.reason is ScriptReason.SCRIPT_MISSING
