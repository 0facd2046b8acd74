"""What the app hands over: a shared channel, many instances, no answer lost."""

from functools import partial
from pathlib import Path

from pabal.apps.relay import alert_rules, hub, jobs, overview, settings
from pabal.apps.relay.actions.endings import clean_up_once, expire_once
from pabal.apps.relay.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.relay.demo import DEMO, channel
from pabal.apps.relay.errors import KO
from pabal.apps.relay.health import read_health
from pabal.apps.relay.labels import ACTIONS, NAMES, STATUS
from pabal.apps.relay.machine import CONVERSATION, MESSAGE
from pabal.apps.relay.model.messages import AREA
from pabal.apps.relay.steps import STEPS
from pabal.engine.kinds import Kinds
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.slice import Slice

HERE = Path(__file__).parent
EXPIRE_SECONDS = 1.0
CLEAN_UP_SECONDS = 60.0


def make_kinds(services: Services) -> Kinds:
    return jobs.make_kinds(hub.hub_of(services).kakao)


def make_loops(services: Services) -> list[Loop]:
    database = services.database
    return [
        *hub.make_loops(services),
        Loop("relay.expire", partial(expire_once, database), idle=EXPIRE_SECONDS),
        Loop("relay.clean_up", partial(clean_up_once, database), idle=CLEAN_UP_SECONDS),
    ]


class RelayGateway:
    """Lets readers go while its server drains, and the client to Kakao when it stops."""

    def __init__(self, services: Services, life: Life) -> None:
        self._hub = hub.hub_of(services)
        self.loops: list[Loop] = []
        life.on_drain.append(self._hub.drain)

    async def start(self) -> None: ...

    def refuse_new(self) -> None:
        self._hub.drain()

    async def close(self) -> None:
        await self._hub.kakao.close()


def make_gateways(services: Services, life: Life) -> list[RelayGateway]:
    return [RelayGateway(services, life)]


SLICE = Slice(
    name=AREA,
    label=("Relay", "중계"),
    icon="arrows-exchange",
    kinds=make_kinds,
    machines=(CONVERSATION, MESSAGE),
    controls=CONTROLS,
    kind_controls=KIND_CONTROLS,
    steps=STEPS,
    migrations=HERE / "migrations",
    loops=make_loops,
    gateways=make_gateways,
    errors=KO,
    actions=ACTIONS,
    names=NAMES,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES)),
    measures=alert_rules.MEASURES,
    alert_rules=alert_rules.RULES,
    api="pabal.apps.relay.api",
    nouns="pabal.apps.relay.resources:NOUNS",
    pages="pabal.apps.relay.pages",
    templates=HERE / "templates",
    static=HERE / "static",
    nav=(
        NavItem("/relay", ("Live", "실시간"), AREA, goto="y"),
        NavItem("/relay/conversations", ("Conversations", "대화"), AREA, need=overview.count_needs),
        NavItem("/relay/accounts", ("Accounts", "계정"), AREA),
        NavItem("/relay/pairing", ("Pairing", "페어링"), AREA),
        NavItem("/relay/connect", ("How to connect", "연결 안내"), AREA),
    ),
    status=STATUS,
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=overview.link,
    health=read_health,
    demo=DEMO,
    simulators=channel,
)
