"""What the app hands over: rules that run by themselves, on a schedule, and tell people."""

from pathlib import Path

from pabal.apps.rules import alert_rules, jobs, overview, parts, settings
from pabal.apps.rules.actions.retention import Cleaning
from pabal.apps.rules.approvals import APPROVABLES
from pabal.apps.rules.artifacts import Shelf
from pabal.apps.rules.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.rules.demo import DEMO
from pabal.apps.rules.errors import KO
from pabal.apps.rules.labels import ACTIONS, NAMES, STATUS
from pabal.apps.rules.lookups import Lookups
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.model.rules import AREA
from pabal.apps.rules.permissions import ScriptCeiling
from pabal.apps.rules.plans import jobs as plan_jobs
from pabal.apps.rules.plans.hearing import hear
from pabal.apps.rules.preparing import Preparing
from pabal.apps.rules.recall.jobs import FillMeanings, make_recall_kinds
from pabal.apps.rules.running import NoScripts, RepositoryScripts
from pabal.apps.rules.skills import step_jobs
from pabal.apps.rules.skills.choosing import ToolsAtWork, tools_of
from pabal.apps.rules.startup import RulesStartup
from pabal.apps.rules.steps import ENDS, STEPS
from pabal.apps.rules.subscribers import SUBSCRIBERS
from pabal.base.settings import read_app_settings
from pabal.engine.kinds import Kinds, merge
from pabal.engine.loop import Loop
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.slice import Slice
from pabal.platform.workflows import make_step_kinds

HERE = Path(__file__).parent
# a day counts by the database's clock; this is how often one asks whether it is over
CLEAN_UP_SECONDS = 600.0
# how soon after a change of the repository the packages of its scripts are looked after
PREPARE_SECONDS = 15.0
# how soon a new case can be found by what it means
FILL_SECONDS = 20.0
SCRIPTS = "rules.scripts"


def make_kinds(services: Services) -> Kinds:
    tools, database = tools_of(services), services.database
    return merge(
        [
            jobs.make_kinds(Lookups(tools), find_scripts(services) or NoScripts(), database),
            step_jobs.make_step_kinds(tools, database, services.files),
            plan_jobs.make_plan_kinds(tools, make_step_kinds(services.steps, services)),
            make_recall_kinds(tools),
        ]
    )


def make_loops(services: Services) -> list[Loop]:
    filling = FillMeanings(services.database, tools_of(services))
    loops = [
        Loop("rules.clean_up", Cleaning(services.database).run_once, idle=CLEAN_UP_SECONDS),
        Loop("rules.recall_meanings", filling.run_once, idle=FILL_SECONDS),
    ]
    scripts = find_scripts(services)
    if scripts is not None:
        preparing = Preparing(services.database, scripts)
        loops.append(Loop("rules.prepare_scripts", preparing.run_once, idle=PREPARE_SECONDS))
    return loops


def find_scripts(services: Services) -> RepositoryScripts | None:
    """One for a process; None where no repository is set."""
    startup = read_app_settings(RulesStartup)
    if not startup.repository:
        return None
    found = services.kept.get(SCRIPTS)
    if not isinstance(found, RepositoryScripts):
        shelf = Shelf(services.database, services.files)
        cache = services.settings.data_dir / AREA
        folder, ceiling = Path(startup.repository).resolve(), ScriptCeiling.of(startup)
        found = RepositoryScripts(folder, cache, shelf, ceiling, at_once=startup.scripts_at_once)
        services.kept[SCRIPTS] = found
    return found


SLICE = Slice(
    name=AREA,
    label=("Automation", "자동화"),
    icon="clock-play",
    kinds=make_kinds,
    machines=(RULE, RULE_RUN, *parts.MACHINES),
    controls=(*CONTROLS, *parts.CONTROLS),
    kind_controls=(*KIND_CONTROLS, *parts.KIND_CONTROLS),
    approvals=(*APPROVABLES, *parts.APPROVABLES),
    steps=(*STEPS, *parts.STEPS),
    subscribers=(*SUBSCRIBERS, ENDS, *parts.SUBSCRIBERS),
    migrations=HERE / "migrations",
    loops=make_loops,
    gateways=lambda services, _life: [ToolsAtWork(services)],
    errors={**KO, **parts.ERRORS},
    actions={**ACTIONS, **parts.ACTIONS},
    names={**NAMES, **parts.NAMES},
    areas=parts.AREAS,
    limits=parts.LIMITS,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES), *parts.SETTINGS),
    measures=(*alert_rules.MEASURES, *parts.MEASURES),
    alert_rules=(*alert_rules.RULES, *parts.RULES),
    api="pabal.apps.rules.api",
    nouns="pabal.apps.rules.resources:NOUNS",
    pages="pabal.apps.rules.pages",
    templates=HERE / "templates",
    nav=(
        NavItem("/rules", ("Rules", "룰"), AREA, goto="l"),
        NavItem("/rules/runs", ("Runs", "실행"), AREA),
        NavItem("/rules/sources", ("Data sources", "데이터 소스"), AREA),
        *parts.NAV,
    ),
    status={**STATUS, **parts.STATUS},
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=lambda about: overview.link(about) or parts.link(about),
    demo=DEMO,
    hears=hear,
)
