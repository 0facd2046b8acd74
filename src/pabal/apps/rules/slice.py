"""What the app hands over: rules that run by themselves, on a schedule, and tell people."""

from pathlib import Path

from pabal.apps.rules import alert_rules, jobs, overview, parts, running, settings
from pabal.apps.rules.actions.retention import Cleaning
from pabal.apps.rules.approvals import APPROVABLES
from pabal.apps.rules.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.rules.demo import DEMO
from pabal.apps.rules.errors import KO
from pabal.apps.rules.labels import ACTIONS, NAMES, STATUS
from pabal.apps.rules.lookups import Lookups
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.skills.choosing import tools_of
from pabal.apps.rules.startup import RulesStartup
from pabal.apps.rules.subscribers import SUBSCRIBERS
from pabal.base.settings import read_app_settings
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.slice import Slice

HERE = Path(__file__).parent
# a day counts by the database's clock; this is how often one asks whether it is over
CLEAN_UP_SECONDS = 600.0


def make_kinds(services: Services) -> Kinds:
    startup = read_app_settings(RulesStartup)
    return jobs.make_kinds(Lookups(tools_of(services)), running.make_scripts(startup.repository))


def make_loops(services: Services) -> list[Loop]:
    return [Loop("rules.clean_up", Cleaning(services.database).run_once, idle=CLEAN_UP_SECONDS)]


SLICE = Slice(
    name=AREA,
    label=("Automation", "자동화"),
    icon="clock-play",
    kinds=make_kinds,
    machines=(RULE, RULE_RUN, *parts.MACHINES),
    controls=(*CONTROLS, *parts.CONTROLS),
    kind_controls=KIND_CONTROLS,
    approvals=APPROVABLES,
    subscribers=SUBSCRIBERS,
    migrations=HERE / "migrations",
    loops=make_loops,
    errors={**KO, **parts.ERRORS},
    actions={**ACTIONS, **parts.ACTIONS},
    names={**NAMES, **parts.NAMES},
    limits=parts.LIMITS,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES), *parts.SETTINGS),
    measures=(*alert_rules.MEASURES, *parts.MEASURES),
    alert_rules=(*alert_rules.RULES, *parts.RULES),
    api="pabal.apps.rules.api",
    pages="pabal.apps.rules.pages",
    templates=HERE / "templates",
    nav=(
        NavItem("/rules", ("Rules", "룰"), AREA, goto="l"),
        NavItem("/rules/runs", ("Runs", "실행"), AREA),
        *parts.NAV,
    ),
    status={**STATUS, **parts.STATUS},
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=lambda about: overview.link(about) or parts.link(about),
    demo=DEMO,
)
