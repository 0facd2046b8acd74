"""What the app hands over, and what it does about facts of others: missed moments, settings that changed."""

from datetime import datetime
from functools import partial
from pathlib import Path

from pabal.apps.messaging import alert_rules, overview, settings
from pabal.apps.messaging.actions import bulks, opening, telling
from pabal.apps.messaging.actions.reports import fold_once
from pabal.apps.messaging.actions.takeovers import take_over_once
from pabal.apps.messaging.actions.timetables import SETTINGS, read_pace, relane
from pabal.apps.messaging.approvals import APPROVABLES
from pabal.apps.messaging.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.messaging.demo import DEMO, phones
from pabal.apps.messaging.errors import KO
from pabal.apps.messaging.jobs.archive import ARCHIVE, Archiver, ensure_archive
from pabal.apps.messaging.jobs.fanning import MOST_LOOKS, FanOut
from pabal.apps.messaging.jobs.sending import Send
from pabal.apps.messaging.labels import ACTIONS, LIMITS, NAMES, STATUS
from pabal.apps.messaging.listener.gateway import make_gateways
from pabal.apps.messaging.machine import DELIVERY, DEVICE, SCHEDULE
from pabal.apps.messaging.model.bulks import BULK
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.model.schedules import ABOUT as SCHEDULE_ABOUT
from pabal.apps.messaging.steps import STEPS
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.services import Services
from pabal.platform.settings import CHANGED
from pabal.platform.slice import Slice

FOLLOWED = {setting.key for setting in SETTINGS}


async def take_missed(tx: Tx, facts: list[Fact]) -> None:
    for fact in facts:
        kind, _, schedule_id = fact.subject.partition(":")
        if kind == SCHEDULE_ABOUT:
            await _miss(tx, int(schedule_id), fact)


async def _miss(tx: Tx, schedule_id: int, fact: Fact) -> None:
    """One delivery for a run of moments, too. Said twice, the second finds the first one's row and leaves it."""
    fire_at = datetime.fromisoformat(fact.data["fire_at"])
    detail = {name: fact.data[name] for name in ("count", "through") if fact.data.get(name) is not None}
    said = {**detail, "decision": fact.data["reason"]}
    if await bulks.miss(tx, Occurrence(schedule_id, fire_at), "misfired", said):
        return
    delivery = await opening.open_delivery(tx, Occurrence(schedule_id, fire_at), job_id=None)
    if delivery is not None:
        await opening.miss(tx, delivery, "misfired", said)


async def follow_settings(tx: Tx, facts: list[Fact]) -> None:
    """Late windows and lanes stand in the engine's schedules: a change must reach those saved before it."""
    if any(fact.subject.removeprefix("setting:") in FOLLOWED for fact in facts):
        await relane(tx)


# from the start: what was missed before this app first looked is told too
MISSED = Subscriber("messaging.missed", ("schedule.missed",), take_missed, from_start=True)
FOLLOWING = Subscriber("messaging.settings", (CHANGED,), follow_settings)
TELLING = Subscriber("messaging.troubles", telling.TROUBLES, telling.tell_troubles)
SUBSCRIBERS = (MISSED, FOLLOWING, TELLING)


HERE = Path(__file__).parent
AREA = "messaging"
FOLD_SECONDS = 60
TAKEOVER_SECONDS = 10


def make_kinds(services: Services) -> Kinds:
    kinds = Kinds()
    send = Send(services)
    kinds.shared_steps(SEND, send, claim_most=send.claim_most)
    fan_out = FanOut(services.database)
    kinds.plain(BULK, max_snoozes=MOST_LOOKS, give_up=fan_out.give_up)(fan_out.run)
    kinds.plain(ARCHIVE)(Archiver(services).run)
    return kinds


def make_loops(services: Services) -> list[Loop]:
    return [
        Loop("messaging.totals", partial(fold_once, services.database), idle=FOLD_SECONDS),
        Loop("messaging.takeovers", partial(take_over_once, services.database), idle=TAKEOVER_SECONDS),
    ]


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
    approvals=APPROVABLES,
    steps=STEPS,
    kind_controls=KIND_CONTROLS,
    subscribers=SUBSCRIBERS,
    migrations=HERE / "migrations",
    on_start=start,
    loops=make_loops,
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
    nouns="pabal.apps.messaging.resources:NOUNS",
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
