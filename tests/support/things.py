"""One of everything that belongs to a unit, so that who may see it can be tried through every door."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import time, timedelta

from pabal.base.database import Database
from pabal.engine import facts, ids, listing, queue, schedules, transitions, why
from pabal.engine.queue import NewJob
from pabal.engine.recurrence import Daily
from pabal.engine.schedules import NewSchedule
from pabal.platform import alerts, auth, events, notifications
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from pabal.platform.alerts.store import NewAlert, insert_alerts
from pabal.platform.auth import NewToken, NewUser
from pabal.platform.events.delivery import bury
from pabal.platform.notifications import ChannelForm, Notice
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.secrets import Vault
from pabal.platform.storage import Files, Upload, accept_file
from pabal.platform.tenants import Scope, Unit
from pabal.platform.workflows import Workflows

FACT = "oven.heated"


@dataclass(frozen=True)
class Things:
    """Ids as programs see them."""

    unit: int
    job: str
    schedule: str
    occurrence: str
    fact: int
    alert: str
    alert_number: int
    notification: str
    channel: int
    delivery: str
    user: int
    token: int
    file: str
    event: str
    dead_letter: str
    workflow: int
    workflow_run: int
    marks: tuple[str, ...]


async def make_things(db: Database, files: Files, vault: Vault, unit: Unit) -> Things:
    """`marks` are words that stand in nothing else: who sees one of them sees too much."""
    word = f"zz{unit.id}zz"
    async with db.transaction() as tx:
        job = await queue.enqueue(tx, NewJob("demo.boil", {"mark": word}, about=f"oven:{word}", unit_id=unit.id))
        daily = NewSchedule(
            name=f"schedule {word}",
            kind="demo.boil",
            recurrence=Daily((time(9),)),
            zone="Asia/Seoul",
            unit_id=unit.id,
        )
        schedule = await schedules.put(tx, daily)
        made = await schedules.trigger_now(tx, schedule.id, actor="engine")
        await facts.record(tx, FACT, f"oven:{word}", {"mark": word}, unit.id)
        new = NewAlert("engine.stuck_work", f"oven:{word}", unit.id, "failure", 400.0, 300.0, tx.now, tx.now)
        [alert] = await insert_alerts(tx, [new])
        await transitions.begin(tx, alerts.ALERT, [alert], actor="engine")
        notice = Notice("oven.heated", (f"Oven {word}", f"오븐 {word}"), unit_id=unit.id)
        await notifications.notify(tx, notice)
        form = ChannelForm(f"channel {word}", "-100123", "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc")
        channel = await notifications.add_channel(tx, ENGINE, vault, form, unit_id=unit.id)
        delivery = await notifications.send_test(tx, ENGINE, channel.id)
        user = await auth.add_user(tx, ENGINE, NewUser(f"user.{word}", f"person {word}", unit.id, Role.VIEWER))
        said = events.NewEvent("oven.heated", {"mark": word}, f"event {word}", unit_id=unit.id)
        event = await events.publish(tx, ENGINE, said)
        await bury(tx, "cooks", event, f"ValueError: {word}", tries=3)
        [letter] = (await events.list_dead(tx, Scope((unit.id,), unit.id))).items
        flows = Workflows(make_step_kinds(()))
        text = f"name: oven\ntitle: workflow {word}\nsteps:\n  - {{name: wait, wait: {{event: oven.cold}}}}\n"
        flow = await flows.save(tx, ENGINE, text, unit_id=unit.id)
        run = await flows.start(tx, ENGINE, flow.id, {})
        until = tx.now + timedelta(days=9)
        token = await auth.make_token(tx, ENGINE, NewToken(f"token {word}", unit.id, Role.VIEWER, (EVERYTHING,), until))
        [told] = [one for one in await notifications.list_notifications(tx, ENGINE) if word in one.title[0]]
    async with db.transaction() as tx:
        wanted = listing.facts.Wanted([unit.id], [FACT])
        [fact] = (await listing.list_facts(tx, wanted)).items
    file = await accept_file(db, files, ENGINE, Upload(_bytes(word), f"file {word}.txt", unit.id), max_bytes=1000)
    return Things(
        unit=unit.id,
        job=str(job),
        schedule=why.show_schedule(schedule.id),
        occurrence=why.show_occurrence(schedule.id, made.fire_at),
        fact=fact.seq,
        alert=ids.show("alr", alert),
        alert_number=alert,
        notification=ids.show("ntf", told.id),
        channel=channel.id,
        delivery=ids.show("dlv", delivery),
        user=user.id,
        token=token.token.id,
        file=file.shown_id,
        event=ids.show("evt", event.seq),
        dead_letter=ids.show("dle", letter.id),
        workflow=flow.id,
        workflow_run=run,
        marks=(word, str(job), why.show_occurrence(schedule.id, made.fire_at), file.shown_id),
    )


async def _bytes(word: str) -> AsyncIterator[bytes]:
    yield word.encode()
