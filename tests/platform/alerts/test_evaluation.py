"""A rule fires once when its condition held for its whole duration, and its alert ends when it was gone as long."""

import asyncio
from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import timers, transitions
from pabal.engine.facts import Fact, Reader
from pabal.engine.reading import Cursor
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import ALERT, REMIND_AFTER, Announcement, Reading
from pabal.platform.notifications import BadNotice
from tests.platform.alerts.house import EVERY, MINUTE, Dial, House, rule_on
from tests.support.people import plant

HOUR = timedelta(hours=1)


async def facts(db: Database, name: str) -> list[Fact]:
    from_the_start = Cursor("1:1:", None, 0).token
    return (await Reader(db, names=[name], resume=from_the_start).read_once()).facts


async def test_it_fires_when_the_condition_held_for_the_whole_duration_and_not_before(db: Database) -> None:
    house = House(db)

    await house.pass_by(MINUTE, showing=99.0)
    before = await house.list_open()
    await house.pass_by(EVERY, showing=99.0)

    assert before == []
    [alert] = await house.list_open()
    assert (alert.rule, alert.state, alert.level, alert.value) == ("test.too_high", "firing", "failure", 99.0)


async def test_a_short_breach_fires_nothing(db: Database) -> None:
    house = House(db)

    for _ in range(3):
        await house.pass_by(MINUTE, showing=99.0)
        await house.pass_by(EVERY, showing=1.0)

    assert await house.list_all() == []


async def test_it_resolves_when_the_condition_was_gone_as_long_and_not_at_the_first_relief(db: Database) -> None:
    house = House(db)
    await house.fire()

    await house.pass_by(MINUTE, showing=1.0)
    still = await house.list_open()
    await house.pass_by(EVERY, showing=1.0)

    assert [alert.state for alert in still] == ["firing"]
    [alert] = await house.list_all()
    assert (alert.state, alert.worst, alert.value) == ("resolved", 99.0, 1.0)
    assert alert.resolved_at is not None


async def test_the_next_time_it_is_a_new_alert(db: Database) -> None:
    house = House(db)
    first = await house.fire()
    await house.pass_by(2 * MINUTE, showing=1.0)

    second = await house.fire()

    assert second.id != first.id
    assert [alert.state for alert in await house.list_all()] == ["firing", "resolved"]


async def test_servers_that_judge_at_once_make_one_alert_and_tell_it_once(db: Database) -> None:
    house = House(db)
    house.dial.shows = 99.0
    for _ in range(6):
        await clock.advance(db, EVERY)
        await house.sample()

    await asyncio.gather(*(house.evaluate() for _ in range(5)))

    assert len(await house.list_open()) == 1
    assert house.news == ["fired"]


async def test_servers_that_judge_at_once_end_it_once(db: Database) -> None:
    house = House(db)
    await house.fire()
    house.dial.shows = 1.0
    for _ in range(6):
        await clock.advance(db, EVERY)
        await house.sample()

    await asyncio.gather(*(house.evaluate() for _ in range(5)))

    assert house.news == ["fired", "resolved"]
    assert len(await facts(db, "alerts.resolved")) == 1


async def test_missing_samples_neither_fire_nor_resolve(db: Database) -> None:
    house = House(db)
    alert = await house.fire()

    await house.pass_by(timedelta(minutes=30), showing=None)

    assert [one.id for one in await house.list_open()] == [alert.id]


async def test_an_outage_fires_nothing_by_itself(db: Database) -> None:
    house = House(db)
    await house.pass_by(EVERY, showing=99.0)
    await clock.advance(db, HOUR)

    await house.pass_by(EVERY, showing=99.0)

    assert await house.list_all() == []


async def test_what_nobody_measures_any_more_ends_after_an_hour(db: Database) -> None:
    house = House(db)
    alert = await house.fire([Reading(99, "bot:1")])

    await house.pass_by(HOUR + 2 * MINUTE, showing=[Reading(1, "bot:2")])

    [ended] = await house.list_all()
    assert (ended.id, ended.state, ended.note) == (alert.id, "resolved", "nobody measures it any more")


async def test_an_outage_of_two_hours_ends_nothing(db: Database) -> None:
    house = House(db)
    alert = await house.fire()
    await clock.advance(db, 2 * HOUR)

    await house.pass_by(MINUTE, showing=None)

    assert [one.id for one in await house.list_open()] == [alert.id]


async def test_each_thing_measured_has_an_alert_of_its_own_that_belongs_to_its_unit(db: Database) -> None:
    tree = await plant(db)
    house = House(db)

    await house.pass_by(
        2 * MINUTE, showing=[Reading(99, "bot:1", tree.haeundae.id), Reading(99, "bot:2"), Reading(1, "bot:3")]
    )

    found = {(alert.about, alert.unit_id) for alert in await house.list_open()}
    assert found == {("bot:1", tree.haeundae.id), ("bot:2", None)}


async def test_an_alert_whose_unit_is_gone_does_not_stop_the_others(db: Database) -> None:
    house = House(db)

    await house.pass_by(2 * MINUTE, showing=[Reading(99, "bot:1", 404), Reading(99, "bot:2")])

    assert [alert.about for alert in await house.list_open()] == ["bot:2"]


async def test_a_threshold_an_operator_changed_is_the_one_that_counts(db: Database) -> None:
    house = House(db)
    await house.set(house.rule.threshold_setting, "100")

    await house.pass_by(2 * MINUTE, showing=99.0)
    quiet = await house.list_all()
    await house.set(house.rule.threshold_setting, "98")
    await house.pass_by(EVERY, showing=99.0)

    assert quiet == []
    assert [alert.threshold for alert in await house.list_open()] == [98.0]


async def test_a_duration_an_operator_changed_is_the_one_that_counts(db: Database) -> None:
    house = House(db)
    await house.set(house.rule.held_for_setting, "0s")

    await house.pass_by(EVERY, showing=99.0)

    assert len(await house.list_open()) == 1


async def test_it_is_told_when_it_fires_and_when_it_ends(db: Database) -> None:
    house = House(db)
    await house.fire()
    await house.pass_by(2 * MINUTE, showing=99.0)

    await house.pass_by(2 * MINUTE, showing=1.0)

    assert house.news == ["fired", "resolved"]
    assert {announcement.rule for announcement in house.told} == {house.rule}


async def test_an_alert_that_cannot_be_told_has_not_fired(db: Database) -> None:
    house = House(db, dial=Dial(shows=99.0))
    await house.set(house.rule.held_for_setting, "0s")
    await house.sample()

    async def stumble(tx: Tx, announcement: Announcement) -> None:
        raise BadNotice(announcement.alert.rule)

    with pytest.raises(BadNotice):
        await alerts.evaluate_once(db, [house.rule], stumble)

    assert await house.list_all() == []


async def test_what_nobody_acknowledges_is_told_again_after_a_while(db: Database) -> None:
    house = House(db)
    await house.set(REMIND_AFTER, "5m")
    await house.fire()

    await house.pass_by(timedelta(minutes=11), showing=99.0)

    assert house.news == ["fired", "reminded", "reminded"]


async def test_what_somebody_acknowledged_is_not(db: Database) -> None:
    house = House(db)
    await house.set(REMIND_AFTER, "5m")
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.acknowledge(tx, ENGINE, alert.id)

    await house.pass_by(timedelta(minutes=11), showing=99.0)

    assert house.news == ["fired"]


async def test_what_fires_while_its_rule_is_silent_is_silent_until_then(db: Database) -> None:
    house = House(db)
    async with db.transaction() as tx:
        await alerts.silence_rule(tx, ENGINE, house.rule, until=tx.now + 5 * MINUTE, note="planned work")

    alert = await house.fire()
    silent = list(house.news)
    await house.pass_by(5 * MINUTE, showing=99.0)
    await timers.fire_once(db, [ALERT])
    await house.evaluate()

    assert (alert.state, alert.note, silent) == ("silenced", "planned work", [])
    assert [one.state for one in await house.list_open()] == ["firing"]
    assert house.news == ["fired"]


async def test_two_rules_on_one_measure_are_judged_each_by_its_own_duration(db: Database) -> None:
    dial = Dial(shows=99.0)
    measure = dial.measure()
    house = House(db, dial=dial)
    rules = [rule_on(measure, name="test.soon", held_for=EVERY), rule_on(measure, name="test.late", held_for=HOUR)]
    for _ in range(8):
        await clock.advance(db, EVERY)
        await house.sample()

    await alerts.evaluate_once(db, rules, house.tell)

    assert [alert.rule for alert in await house.list_open()] == ["test.soon"]


async def test_facts_say_that_it_fired_and_that_it_is_over(db: Database) -> None:
    tree = await plant(db)
    house = House(db)
    alert = await house.fire([Reading(99, "bot:1", tree.nampo.id)])
    await house.pass_by(2 * MINUTE, showing=[Reading(1, "bot:1", tree.nampo.id)])

    [fired], [resolved] = await facts(db, "alerts.fired"), await facts(db, "alerts.resolved")

    assert {fired.subject, resolved.subject} == {f"alert:{alert.id}"}
    assert fired.data["rule"] == "test.too_high"
    assert (fired.data["about"], fired.data["value"], resolved.data["worst"]) == ("bot:1", 99.0, 99.0)
    assert {fired.unit_id, resolved.unit_id} == {tree.nampo.id}


async def test_its_history_tells_its_whole_life(db: Database) -> None:
    house = House(db)
    alert = await house.fire()
    await house.pass_by(2 * MINUTE, showing=1.0)

    async with db.transaction() as tx:
        history = await transitions.history(tx, ALERT, alert.id)

    assert transitions.replay(history) == "resolved"
    assert [(step.event, step.actor) for step in history] == [("begin", "engine"), ("resolve", "engine")]
