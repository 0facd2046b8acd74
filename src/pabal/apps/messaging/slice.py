"""What the app hands over: scheduled KakaoTalk messages for a hierarchy of dealers."""

from pathlib import Path

from pabal.apps.messaging import alert_rules, overview, settings
from pabal.apps.messaging.actions.timetables import read_pace, relane
from pabal.apps.messaging.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.messaging.demo import DEMO, phones
from pabal.apps.messaging.errors import KO
from pabal.apps.messaging.jobs.archive import ARCHIVE, Archiver, ensure_archive
from pabal.apps.messaging.jobs.sending import Send
from pabal.apps.messaging.labels import ACTIONS, LIMITS, NAMES, STATUS
from pabal.apps.messaging.listener.gateway import make_gateways
from pabal.apps.messaging.machine import DELIVERY, DEVICE, SCHEDULE
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.subscribers import SUBSCRIBERS
from pabal.base.database import Tx
from pabal.engine.kinds import Kinds
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.slice import Slice

HERE = Path(__file__).parent
AREA = "messaging"


def make_kinds(services: Services) -> Kinds:
    kinds = Kinds()
    send = Send(services)
    kinds.shared_steps(SEND, send, claim_most=send.claim_most)
    kinds.plain(ARCHIVE)(Archiver(services).run)
    return kinds


async def start(tx: Tx) -> None:
    """What the app cannot be without; and schedules follow a setting that changed since they were saved."""
    await ensure_archive(tx)
    await relane(tx)


SLICE = Slice(
    name=AREA,
    label=("Messages", "메시지"),
    icon="message-2",
    kinds=make_kinds,
    machines=(SCHEDULE, DELIVERY, DEVICE),
    controls=CONTROLS,
    kind_controls=KIND_CONTROLS,
    subscribers=SUBSCRIBERS,
    migrations=HERE / "migrations",
    on_start=start,
    gateways=make_gateways,
    pace=read_pace,
    errors=KO,
    actions=ACTIONS,
    names=NAMES,
    limits=LIMITS,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES)),
    measures=alert_rules.MEASURES,
    alert_rules=alert_rules.RULES,
    api="pabal.apps.messaging.api",
    pages="pabal.apps.messaging.pages",
    templates=HERE / "templates",
    static=HERE / "static",
    nav=(
        NavItem("/messages/schedules", ("Schedules", "스케줄"), AREA, need=overview.count_schedule_needs, goto="m"),
        NavItem("/messages/templates", ("Templates", "템플릿"), AREA),
        NavItem("/messages/rooms", ("Rooms", "톡방"), AREA, need=overview.count_room_needs),
        NavItem("/messages/bots", ("Bots", "봇"), AREA, need=overview.count_bot_needs),
        NavItem("/messages/deliveries", ("Send logs", "발송 로그"), AREA, need=overview.count_needs),
        NavItem("/messages/statistics", ("Statistics", "통계"), AREA),
    ),
    status=STATUS,
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=overview.link,
    demo=DEMO,
    simulators=phones,
)
