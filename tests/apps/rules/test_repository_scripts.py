"""Runs of scripts of a real repository: which code runs, which function, and what it may reach."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from pabal.apps.rules.artifacts import Shelf
from pabal.apps.rules.model.rules import RuleRunState, RunReason
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.running import RepositoryScripts, ScriptCall, ScriptEnd
from pabal.apps.rules.scripts import Allows
from pabal.apps.rules.store.rules import NamedScript
from tests.support.rule_scripts import HEAD, Repository, need_isolation
from tests.support.rules import RulesWorld

CALL = ScriptCall("run-1", "check.py", 1, {}, {}, seconds=60.0)
TWO = f"""{HEAD}
@rule("buy")
async def buy(payload, context):
    return {{"did": "buy"}}

@rule("sell")
async def sell(payload, context):
    return {{"did": "sell"}}
"""


class NothingKept(Shelf):
    def __init__(self) -> None:
        """A script of these tests makes no file."""


class Runner:
    def __init__(self, folder: Path, *, ceiling: ScriptCeiling | None = None) -> None:
        self.mounted = Repository(folder / "mounted")
        self.cache, self.ceiling = folder / "cache", ceiling or ScriptCeiling()
        self.scripts = RepositoryScripts(self.mounted.folder, self.cache, NothingKept(), self.ceiling)

    async def run(self, **given: Any) -> ScriptEnd:
        return await self.scripts.run(replace(CALL, **given), on_line=lambda _: None, stop=asyncio.Event())


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


async def test_a_rule_names_one_of_several_functions(runner: Runner):
    runner.mounted.commit(check=TWO)

    bought, sold = await runner.run(function="buy"), await runner.run(function="sell")
    unnamed, unknown = await runner.run(), await runner.run(function="hold")

    assert (bought.value, sold.value) == ({"did": "buy"}, {"did": "sell"})
    assert (unnamed.reason, unknown.reason) == (RunReason.FUNCTION_MISSING, RunReason.FUNCTION_MISSING)
    assert "buy, sell" in unnamed.message


@pytest.fixture
def remote(runner: Runner, tmp_path: Path) -> Repository:
    """Somebody pushed what the mounted folder does not have yet."""
    remote = Repository(tmp_path / "remote")
    remote.commit_body("return {'from': 'remote'}")
    runner.mounted.commit_body("return {'from': 'folder'}")
    runner.mounted.git("remote", "add", "origin", str(remote.folder))
    runner.mounted.write(
        "check.py", f'{HEAD}@rule("check")\nasync def check(p, c):\n    return {{"from": "my desk"}}\n'
    )
    return remote


@pytest.mark.req("D-22", "D-48")
async def test_a_run_uses_the_newest_commit_of_the_remote_where_the_rule_says_so(runner: Runner, remote: Repository):
    before = runner.mounted.git("rev-parse", "HEAD")

    here, fetched = await runner.run(), await runner.run(is_fetched=True)
    newer = remote.commit_body("return {'from': 'a newer one'}")
    again = await runner.run(is_fetched=True)

    assert (here.value, fetched.value) == ({"from": "my desk"}, {"from": "remote"})
    assert (list(here.dirty), fetched.dirty) == (["check.py"], {})
    assert (again.value, again.commit) == ({"from": "a newer one"}, newer)
    assert runner.mounted.git("rev-parse", "HEAD") == before
    assert "my desk" in (runner.mounted.folder / "check.py").read_text()


async def test_a_remote_that_is_not_there_is_a_reason(runner: Runner, tmp_path: Path):
    runner.mounted.commit_body("return {}")
    runner.mounted.git("remote", "add", "origin", str(tmp_path / "nowhere"))

    end = await runner.run(is_fetched=True)

    assert (end.ok, end.reason) == (False, RunReason.GIT_FAILED)
    assert "git fetch" in end.message


async def test_packages_are_prepared_of_the_commit_that_a_run_will_fetch(runner: Runner, remote: Repository):
    text = '# /// script\n# dependencies = []\n# requires-python = "<3"\n# ///\n' + HEAD
    remote.commit(check=f'{text}@rule("check")\nasync def check(p, c):\n    return {{}}\n')

    await runner.scripts.prepare([NamedScript("check.py"), NamedScript("check.py", is_fetched=True)])

    # only the remote's asks for a Python that nobody has
    assert list(cast("Any", runner.scripts)._told) == [NamedScript("check.py", is_fetched=True)]


REACH = """
import pathlib, socket
found = {}
for name in payload["read"]:
    try:
        found[name] = pathlib.Path(name, "a.txt").read_text()
    except OSError as error:
        found[name] = type(error).__name__
for name in payload["write"]:
    try:
        pathlib.Path(name, "b.txt").write_text("written")
        found[name] = "written"
    except OSError as error:
        found[name] = type(error).__name__
try:
    socket.create_connection(("127.0.0.1", payload["port"]), timeout=5).close()
    found["network"] = "reached"
except OSError as error:
    found["network"] = type(error).__name__
return found
"""


@pytest.fixture
async def door():
    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_a_script_reaches_what_its_rule_was_allowed_and_nothing_else(tmp_path: Path, door: int):
    need_isolation()
    reads, writes, other = (tmp_path / name for name in ("reads", "writes", "other"))
    for folder in (reads, writes, other):
        folder.mkdir()
        (folder / "a.txt").write_text("here")
    runner = Runner(tmp_path / "run", ceiling=ScriptCeiling(True, (str(tmp_path),), (str(writes),)))
    runner.mounted.commit_body(REACH)
    asked = {"read": [str(reads), str(writes), str(other)], "write": [str(writes), str(reads)], "port": door}
    allows = Allows(True, (str(reads),), (str(writes),))

    allowed = await runner.run(payload=asked, allows=allows)
    plain = await runner.run(payload=asked)

    assert allowed.value == {
        str(reads): "OSError",
        str(writes): "written",
        str(other): "FileNotFoundError",
        "network": "reached",
    }
    assert (writes / "b.txt").read_text() == "written"
    assert set(plain.value.values()) <= {"FileNotFoundError", "ConnectionRefusedError"}, plain.value


@pytest.mark.parametrize(
    ("allows", "told"),
    [
        (Allows(network=True), "network"),
        (Allows(files=("/etc",)), "/etc"),
        (Allows(write=("/etc",)), "/etc"),
    ],
)
async def test_a_rule_that_asks_for_more_than_this_server_allows_is_not_begun(
    runner: Runner, allows: Allows, told: str
):
    runner.mounted.commit_body("return {}")

    end = await runner.run(allows=allows)

    assert (end.ok, end.reason, end.commit) == (False, RunReason.NOT_ALLOWED, None)
    assert told in end.message


async def test_a_folder_that_is_not_there_is_a_reason(tmp_path: Path):
    runner = Runner(tmp_path, ceiling=ScriptCeiling(read=(str(tmp_path),)))
    runner.mounted.commit_body("return {}")

    end = await runner.run(allows=Allows(files=(str(tmp_path / "gone"),)))

    assert end.reason is RunReason.NOT_ALLOWED
    assert "gone" in end.message


@pytest.mark.req("D-48", "D-66")
async def test_a_rule_hands_over_its_function_its_fetch_and_its_rights(
    world: RulesWorld, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PABAL_RULES_SCRIPT_NETWORK", "true")
    monkeypatch.setenv("PABAL_RULES_SCRIPT_WRITE_FOLDERS", "/srv")
    rule = await world.rule(
        execution_script_path="a.py",
        script_function="sell",
        fetch_before_run=True,
        allow_network=True,
        read_folders=["/srv/data/"],
        write_folders=["/srv/out"],
    )

    await world.advance(minutes=5)

    [run], [call] = await world.runs(rule), world.scripts.calls
    assert run.state is RuleRunState.SUCCESS
    assert (call.script, call.function, call.is_fetched) == ("a.py", "sell", True)
    assert call.allows == Allows(True, ("/srv/data",), ("/srv/out",))
