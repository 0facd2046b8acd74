"""What tests of rules share: an organisation, short ways to make a rule and to let time pass, scripted scripts."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.jobs import make_kinds
from pabal.apps.rules.lookups import Lookups
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.model.rules import Rule, Run, RunReason
from pabal.apps.rules.running import ScriptCall, ScriptEnd
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.apps.rules.store import rules, runs
from pabal.apps.rules.subscribers import SUBSCRIBERS
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Scope
from pabal.testing import Parts, advance, drain
from tests.support.people import Tree, plant

HOUSE = Scope(None, None)
QUOTE = {"source": "offline_quote", "payload": {"ticker": "AAPL", "price": 512.5, "target": 500}}
ABOVE = {"path": "price", "op": ">=", "value_from": "target"}


class ScriptedScripts:
    """The other side of the seam: answers in turn, and remembers what it was asked."""

    def __init__(self, *answers: ScriptEnd) -> None:
        self.answers = list(answers)
        self.calls: list[ScriptCall] = []

    async def run(self, call: ScriptCall, *, on_line: Callable[[str], None], stop: asyncio.Event) -> ScriptEnd:
        self.calls.append(call)
        on_line("started")
        return self.answers.pop(0) if self.answers else ScriptEnd(True, None, "done", {"n": len(self.calls)})


def failed(message: str = "boom", **more: Any) -> ScriptEnd:
    return ScriptEnd(False, RunReason.SCRIPT_FAILED, message, exit_code=1, **more)


@dataclass
class RulesWorld:
    db: Database
    tree: Tree
    scripts: ScriptedScripts = field(default_factory=ScriptedScripts)
    lookups: Lookups = field(default_factory=lambda: Lookups(make_tools(SkillsStartup())))

    @property
    def parts(self) -> Parts:
        kinds = make_kinds(self.lookups, self.scripts, self.db)
        return Parts(self.db, kinds, machines=(RULE, RULE_RUN), subscribers=SUBSCRIBERS)

    async def rule(self, name: str = "주가", **given: Any) -> Rule:
        """Of Haeundae, every five minutes, on an offline quote unless said otherwise."""
        said = {"schedule": "*/5 * * * *", "unit_id": self.tree.haeundae.id, **given}
        if "source" not in said and "execution_script_path" not in said:
            said |= QUOTE
        async with self.db.transaction() as tx:
            return await actions.create_rule(tx, ENGINE, name=name, **said)

    async def look(self, rule: Rule) -> Rule:
        async with self.db.transaction() as tx:
            return (await rules.load_rules(tx, [rule.number]))[0]

    async def runs(self, rule: Rule) -> list[Run]:
        """Oldest first."""
        async with self.db.transaction() as tx:
            page = await runs.list_runs(tx, HOUSE, runs.RunFilter(rule.id), limit=500)
        return page.items[::-1]

    async def advance(self, **by: float) -> None:
        await advance(self.parts, timedelta(**by))

    async def drain(self) -> None:
        await drain(self.parts)


async def make_rules(db: Database, tree: Tree | None = None) -> RulesWorld:
    """The subscriber begins with what is committed after its first sight."""
    world = RulesWorld(db, tree or await plant(db))
    await world.drain()
    return world
