"""A script's author at the command line, without a server."""

import json
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from pabal.apps.rules.cli import scripts
from pabal.cli.shell import Shell
from tests.support.rule_scripts import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "scripts")


def run(tmp_path: Path, *arguments: str, lang: str = "en", output: str = "json") -> Result:
    app = typer.Typer()
    for name, command in (
        ("init", scripts.init),
        ("check", scripts.check),
        ("try", scripts.try_),
        ("lock", scripts.lock),
    ):
        app.command(name)(command)
    env = {"PABAL_DATA_DIR": str(tmp_path / "data"), "PABAL_CONFIG": "/nowhere/pabal.toml"}
    return CliRunner().invoke(app, list(arguments), obj=Shell(output, lang), env=env)


@pytest.mark.req("D-12", "D-92")
def test_from_nothing_to_a_tried_script(tmp_path: Path):
    folder = tmp_path / "mine"

    made = run(tmp_path, "init", str(folder))
    checked = run(tmp_path, "check", "--repository", str(folder))
    script = folder / "hello.py"
    script.write_text(
        "from pabal_rules import rule\n\n\n@rule('hello')\nasync def hello(payload, context):\n"
        "    print('greeting')\n    context.notify('hello ' + payload['to'])\n    return {'to': context.memory}\n"
    )
    where = ("--repository", str(folder), "--memory", "7")
    tried = run(tmp_path, "try", "hello.py", "--payload", '{"to": "you"}', *where)

    assert {"file": "stock/check_price.py"} in json.loads(made.stdout)["items"]
    assert (checked.exit_code, json.loads(checked.stdout)["items"][0]["rules"]) == (0, ["stock/check_price"])
    shown = json.loads(tried.stdout)
    assert (tried.exit_code, shown["ok"], shown["value"]) == (0, True, {"to": 7})
    assert shown["would_send"] == [{"kind": "notify", "text": "hello you"}]
    assert "greeting" in tried.stderr


def test_mistakes_are_said_in_the_readers_language_and_fail_the_command(tmp_path: Path, repository: Repository):
    repository.commit(check="from pabal_rules import rule\n\n@rule('a')\ndef a(payload, context): ...\n")

    told = run(tmp_path, "check", "check.py", "--repository", str(repository.folder), lang="ko", output="table")

    assert told.exit_code == 1
    assert 'a은(는) "async def" 함수여야 합니다.' in told.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("try", "check.py", "--payload", "{"), 1, "--payload"),
        (("try", "missing.py"), 1, "missing.py"),
        (("check", "missing.py"), 1, "missing.py"),
    ],
)
def test_what_cannot_be_done_says_why(
    tmp_path: Path, repository: Repository, arguments: tuple[str, ...], code: int, why: str
):
    repository.commit_body("return {}")

    told = run(tmp_path, *arguments, "--repository", str(repository.folder))

    assert told.exit_code >= code
    assert why in told.output
