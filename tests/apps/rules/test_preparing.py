"""Between runs: the packages of every script that a rule names are looked after."""

from pathlib import Path
from typing import Any, cast

from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.preparing import Preparing
from pabal.apps.rules.running import RepositoryScripts
from pabal.apps.rules.store.rules import NamedScript
from tests.support.rule_scripts import Repository
from tests.support.rules import RulesWorld


async def test_each_script_is_prepared_once_and_a_missing_one_keeps_no_other_waiting(world: RulesWorld, tmp_path: Path):
    repository = Repository(tmp_path / "scripts")
    repository.commit_body("return {}")
    prepared: list[NamedScript] = []

    class Noting(RepositoryScripts):
        async def prepare(self, named: Any) -> None:
            prepared.extend(named)
            await super().prepare(named)

    for script in ("missing.py", "check.py", "check.py"):
        await world.rule(execution_script_path=script)
    scripts = Noting(repository.folder, tmp_path / "cache", cast("Any", None), ScriptCeiling())

    assert await Preparing(world.db, scripts).run_once() == 0
    assert prepared == [NamedScript("check.py"), NamedScript("missing.py")]
