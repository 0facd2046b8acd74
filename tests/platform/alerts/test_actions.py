"""People acknowledge and silence what they see and have the right to; everything they do is in the audit."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import timers
from pabal.engine.subjects import VersionChanged
from pabal.engine.transitions import MoveNotAllowed
from pabal.platform import alerts, audit, tenants
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.alerts import ALERT, Alert, AlertNotFound, BadSilence, NoteTooLong, Reading
from pabal.platform.tenants import HeadOfficeOnly, visible_to
from tests.platform.alerts.house import EVERY, MINUTE, House
from tests.support.people import Tree, person, plant

HOUR = timedelta(hours=1)


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


@pytest.fixture
async def house(db: Database) -> House:
    return House(db)


async def fire_in(house: House, unit_id: int) -> Alert:
    return await house.fire([Reading(99, "bot:1", unit_id)])


async def seen_by(db: Database, actor: Actor) -> list[int]:
    async with db.transaction() as tx:
        scope = await visible_to(tx, actor)
        listed = [alert.id for alert in await alerts.list_open(tx, scope)]
        history = [alert.id for alert in await alerts.list_alerts(tx, scope, alerts.Wanted())]
        counts = await alerts.count_open(tx, scope)
    assert listed == history
    assert counts.firing == len(listed)
    return listed


async def test_an_acknowledged_alert_says_who_did_it_and_why(db: Database, tree: Tree, house: House) -> None:
    alert = await fire_in(house, tree.haeundae.id)

    async with db.transaction() as tx:
        after = await alerts.acknowledge(tx, person(tree.busan), alert.id, note="on my way")

    assert (after.state, after.said_by, after.note) == ("acknowledged", "user:1", "on my way")


async def test_what_is_acknowledged_still_ends_by_itself(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.acknowledge(tx, ENGINE, alert.id)

    await house.pass_by(2 * MINUTE, showing=1.0)

    assert [one.state for one in await house.list_all()] == ["resolved"]


async def test_an_alert_of_one_unit_is_unseen_from_another(db: Database, tree: Tree, house: House) -> None:
    alert = await fire_in(house, tree.haeundae.id)

    seen = {unit.name: await seen_by(db, person(unit)) for unit in (tree.hq, tree.busan, tree.haeundae)}
    unseen = {unit.name: await seen_by(db, person(unit)) for unit in (tree.nampo, tree.seoul, tree.gangnam)}

    assert list(seen.values()) == [[alert.id]] * 3
    assert list(unseen.values()) == [[]] * 3


async def test_what_one_does_not_see_one_cannot_touch(db: Database, tree: Tree, house: House) -> None:
    alert = await fire_in(house, tree.haeundae.id)
    stranger = person(tree.nampo)

    async with db.transaction() as tx:
        with pytest.raises(AlertNotFound):
            await alerts.acknowledge(tx, stranger, alert.id)
        with pytest.raises(AlertNotFound):
            await alerts.silence(tx, stranger, alert.id, until=tx.now + HOUR)

    assert [one.state for one in await house.list_open()] == ["firing"]


async def test_an_alert_of_no_unit_is_the_hqs_alone(db: Database, tree: Tree, house: House) -> None:
    alert = await house.fire()

    assert await seen_by(db, person(tree.hq)) == [alert.id]
    assert await seen_by(db, person(tree.busan)) == []


async def test_a_viewer_can_say_nothing_to_an_alert(db: Database, tree: Tree, house: House) -> None:
    alert = await house.fire()
    viewer = person(tree.hq, Role.VIEWER)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await alerts.acknowledge(tx, viewer, alert.id)
        with pytest.raises(NotAllowed):
            await alerts.silence(tx, viewer, alert.id, until=tx.now + HOUR)
        with pytest.raises(NotAllowed):
            await alerts.unsilence(tx, viewer, alert.id)
        with pytest.raises(NotAllowed):
            await alerts.silence_rule(tx, viewer, house.rule, until=tx.now + HOUR)
        with pytest.raises(NotAllowed):
            await alerts.unsilence_rule(tx, viewer, house.rule)


async def test_a_silence_ends_at_its_moment_and_then_it_is_told_as_new(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.silence(tx, ENGINE, alert.id, until=tx.now + 5 * MINUTE)

    await house.pass_by(5 * MINUTE - EVERY, showing=99.0)
    early = await timers.fire_once(db, [ALERT])
    await clock.advance(db, EVERY)
    on_time = await timers.fire_once(db, [ALERT])
    await house.evaluate()

    assert (early, on_time) == (0, 1)
    assert [one.state for one in await house.list_open()] == ["firing"]
    assert house.news == ["fired", "fired"]


async def test_a_second_silence_moves_the_end(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.silence(tx, ENGINE, alert.id, until=tx.now + HOUR)
        moved = await alerts.silence(tx, ENGINE, alert.id, until=tx.now + 3 * HOUR)
    await clock.advance(db, 2 * HOUR)

    fired = await timers.fire_once(db, [ALERT])

    assert fired == 0
    assert moved.version == alert.version + 2


async def test_unsilenced_it_fires_at_once(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.silence(tx, ENGINE, alert.id, until=tx.now + HOUR)

        after = await alerts.unsilence(tx, ENGINE, alert.id)

    assert after.state == "firing"


async def test_what_is_silent_ends_in_silence(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.silence(tx, ENGINE, alert.id, until=tx.now + HOUR)

    await house.pass_by(2 * MINUTE, showing=1.0)

    assert [one.state for one in await house.list_all()] == ["resolved"]
    assert house.news == ["fired"]


@pytest.mark.parametrize("ahead", [timedelta(0), -HOUR, timedelta(days=31)])
async def test_a_silence_must_end_ahead_and_within_a_month(db: Database, house: House, ahead: timedelta) -> None:
    alert = await house.fire()

    async with db.transaction() as tx:
        with pytest.raises(BadSilence):
            await alerts.silence(tx, ENGINE, alert.id, until=tx.now + ahead)
        with pytest.raises(BadSilence):
            await alerts.silence_rule(tx, ENGINE, house.rule, until=tx.now + ahead)


async def test_a_note_has_its_length(db: Database, house: House) -> None:
    alert = await house.fire()

    async with db.transaction() as tx:
        with pytest.raises(NoteTooLong):
            await alerts.acknowledge(tx, ENGINE, alert.id, note="x" * 501)


async def test_who_looked_at_an_older_version_is_told_so(db: Database, house: House) -> None:
    alert = await house.fire()
    async with db.transaction() as tx:
        await alerts.acknowledge(tx, ENGINE, alert.id, version=alert.version)

        with pytest.raises(VersionChanged):
            await alerts.silence(tx, ENGINE, alert.id, until=tx.now + HOUR, version=alert.version)


async def test_what_is_over_cannot_be_acknowledged(db: Database, house: House) -> None:
    alert = await house.fire()
    await house.pass_by(2 * MINUTE, showing=1.0)

    async with db.transaction() as tx:
        with pytest.raises(MoveNotAllowed):
            await alerts.acknowledge(tx, ENGINE, alert.id)


async def test_every_verb_is_in_the_audit(db: Database, tree: Tree, house: House) -> None:
    alert = await fire_in(house, tree.haeundae.id)
    chief = person(tree.hq)
    async with db.transaction() as tx:
        await alerts.acknowledge(tx, chief, alert.id, note="mine")
        await alerts.silence(tx, chief, alert.id, until=tx.now + HOUR)
        await alerts.unsilence(tx, chief, alert.id)
        await alerts.silence_rule(tx, chief, house.rule, until=tx.now + HOUR)
        await alerts.unsilence_rule(tx, chief, house.rule)

        entries = await audit.list_entries(tx, audit.Wanted(action="alerts.*"))

    verbs = ["acknowledge", "silence", "unsilence", "silence_rule", "unsilence_rule"]
    assert [entry.action for entry in entries][::-1] == [f"alerts.{verb}" for verb in verbs]
    first = entries[-1]
    assert (first.about, first.unit_id, first.actor) == (f"alert:{alert.id}", tree.haeundae.id, "user:1")
    assert first.before == {"state": "firing"}
    assert first.after == {"state": "acknowledged", "note": "mine"}


async def test_a_silent_rule_silences_what_fires_already_and_lets_go_of_it(db: Database, house: House) -> None:
    await house.fire()

    async with db.transaction() as tx:
        await alerts.silence_rule(tx, ENGINE, house.rule, until=tx.now + HOUR, note="moving house")
        silenced = list(await alerts.list_rule_silences(tx))
    silent = [alert.state for alert in await house.list_open()]
    async with db.transaction() as tx:
        await alerts.unsilence_rule(tx, ENGINE, house.rule)
        left = await alerts.list_rule_silences(tx)

    assert (silenced, silent, left) == (["test.too_high"], ["silenced"], {})
    assert [alert.state for alert in await house.list_open()] == ["firing"]


async def test_only_the_head_office_silences_a_rule(db: Database, tree: Tree, house: House) -> None:
    async with db.transaction() as tx:
        with pytest.raises(HeadOfficeOnly):
            await alerts.silence_rule(tx, person(tree.busan), house.rule, until=tx.now + HOUR)


async def test_a_unit_that_had_an_alert_can_be_removed_and_the_head_office_keeps_the_alert(
    house: House, tree: Tree, db: Database
) -> None:
    alert = await fire_in(house, tree.nampo.id)

    async with db.transaction() as tx:
        await tenants.remove_unit(tx, person(tree.hq), tree.nampo.id)

    assert await seen_by(db, person(tree.hq)) == [alert.id]
