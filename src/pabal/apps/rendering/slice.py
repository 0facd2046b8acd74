"""What the app hands over: renders through nexrender, checked, delivered, never stuck."""

from functools import partial
from pathlib import Path

from pabal.apps.rendering import alert_rules, keeper, overview, settings, simulator
from pabal.apps.rendering.actions.releasing import recover_lost_servers, recover_once
from pabal.apps.rendering.actions.retention import forget_once
from pabal.apps.rendering.checkup import examine_worker
from pabal.apps.rendering.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.rendering.demo import DEMO, farm
from pabal.apps.rendering.errors import KO
from pabal.apps.rendering.files import errors as files_errors
from pabal.apps.rendering.health import read_health
from pabal.apps.rendering.jobs.rendering import make_kinds
from pabal.apps.rendering.labels import ACTIONS, LIMITS, NAMES, STATUS
from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.recovery import RecoveryClock
from pabal.apps.rendering.steps import ENDS, STEPS
from pabal.apps.rendering.video import errors as video_errors
from pabal.engine.facts import Subscriber
from pabal.engine.loop import Loop
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.slice import Slice

HERE = Path(__file__).parent
FORGET_SECONDS = 3600.0


def make_loops(services: Services) -> list[Loop]:
    database = services.database
    clock = RecoveryClock(partial(recover_once, database), database)
    return [
        Loop("rendering.recovery", clock.run_once, idle=clock.seconds),
        Loop("rendering.forget", partial(forget_once, database), idle=FORGET_SECONDS),
    ]


SLICE = Slice(
    name=AREA,
    label=("Rendering", "렌더링"),
    icon="movie",
    kinds=make_kinds,
    machines=(RENDER,),
    controls=CONTROLS,
    kind_controls=KIND_CONTROLS,
    subscribers=(Subscriber("rendering.lost_servers", ("server.lost",), recover_lost_servers), ENDS),
    steps=STEPS,
    migrations=HERE / "migrations",
    loops=make_loops,
    gateways=keeper.make_workers,
    errors={**KO, **files_errors.KO, **video_errors.KO, **simulator.ERRORS},
    actions=ACTIONS,
    names=NAMES,
    limits=LIMITS,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES)),
    measures=alert_rules.MEASURES,
    alert_rules=alert_rules.RULES,
    status=STATUS,
    api="pabal.apps.rendering.api",
    nouns="pabal.apps.rendering.resources:NOUNS",
    pages="pabal.apps.rendering.pages",
    templates=HERE / "templates",
    static=HERE / "static",
    nav=(
        NavItem("/render", ("Queue", "대기열"), AREA, need=overview.count_needs, goto="q"),
        NavItem("/render/workers", ("Workers", "워커"), AREA),
        NavItem("/render/templates", ("Templates & mapping", "템플릿·매핑"), AREA),
        NavItem("/render/statistics", ("Statistics", "통계"), AREA),
    ),
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=overview.link,
    health=read_health,
    doctor=examine_worker,
    demo=DEMO,
    simulators=farm,
)
