"""The list of rules shows of each how it stands, as far as the one who looks may see."""

from datetime import timedelta

from pabal.base.database import Database
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import ENGINE_RULES, Reading, RuleSeen
from pabal.platform.tenants import Scope
from tests.platform.alerts.house import EVERY, EVERYTHING, House
from tests.support.people import plant


async def look(house: House, scope: Scope = EVERYTHING) -> RuleSeen:
    async with house.db.transaction() as tx:
        [seen] = await alerts.list_rules(tx, scope, [house.rule])
    return seen


async def test_a_rule_nobody_measured_yet_is_ok_and_knows_no_value(db: Database) -> None:
    seen = await look(House(db))

    assert (seen.state, seen.worst, seen.last_fired_at, seen.open_count) == ("ok", None, None, 0)


async def test_a_firing_rule_shows_its_worst_value_and_when(db: Database) -> None:
    tree = await plant(db)
    house = House(db)
    unit = tree.nampo.id
    await house.pass_by(2 * timedelta(minutes=1), showing=[Reading(1, "bot:1", unit), Reading(99, "bot:2", unit)])

    seen = await look(house, Scope((unit,), unit))

    assert seen.worst is not None
    assert (seen.state, seen.worst.about, seen.worst.last_value, seen.open_count) == ("firing", "bot:2", 99.0, 1)
    assert seen.last_fired_at is not None


async def test_what_fires_elsewhere_is_not_shown_here(db: Database) -> None:
    tree = await plant(db)
    house = House(db)
    await house.fire([Reading(99, "bot:1", tree.nampo.id)])

    seen = await look(house, Scope((tree.gangnam.id,), tree.gangnam.id))

    assert (seen.state, seen.worst, seen.last_fired_at) == ("ok", None, None)


async def test_of_a_rule_from_below_the_lowest_value_is_the_worst(db: Database) -> None:
    [rule] = [rule for rule in ENGINE_RULES if rule.beyond == "below"]
    house = House(db)
    house.dial.name = rule.measure.name
    house.measure = house.dial.measure()
    await house.pass_by(EVERY, showing=[Reading(95, "a"), Reading(91, "b")])

    async with db.transaction() as tx:
        [seen] = await alerts.list_rules(tx, EVERYTHING, [rule])

    assert seen.worst is not None
    assert seen.worst.last_value == 91.0


async def test_a_silent_rule_says_so_and_until_when(db: Database) -> None:
    house = House(db)
    async with db.transaction() as tx:
        put = await alerts.silence_rule(tx, ENGINE, house.rule, until=tx.now + timedelta(hours=1), note="work")

    seen = await look(house)

    assert (seen.state, seen.silence) == ("silenced", put)


async def test_the_limits_shown_are_those_that_hold_now(db: Database) -> None:
    house = House(db)
    await house.set(house.rule.threshold_setting, "42.5")

    seen = await look(house)

    assert (seen.limit.threshold, seen.limit.held_for) == (42.5, house.rule.held_for)
