"""Who is called: messages nobody reads, callbacks that fail, accounts asleep, codes guessed at."""

from pabal.apps.relay import SLICE, alert_rules
from pabal.apps.relay.gateway import Rejected
from pabal.apps.relay.jobs import make_kinds
from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert, check_rules
from pabal.platform.tenants import visible_to
from pabal.testing import Parts, drain
from tests.support.relay import SECOND, RelayWorld, ScriptedKakao

MINUTE = 60 * SECOND


async def watch(db: Database) -> list[Alert]:
    await alerts.sample_once(db, alert_rules.MEASURES)
    await alerts.evaluate_once(db, alert_rules.RULES, alerts.tell_people)
    async with db.transaction() as tx:
        return await alerts.list_open(tx, await visible_to(tx, ENGINE))


async def test_a_message_nobody_reads_calls_its_unit_until_it_is_read(world: RelayWorld) -> None:
    await world.say("읽어 주세요")
    await clock.advance(world.db, 20 * SECOND)
    assert await watch(world.db) == []

    await clock.advance(world.db, 16 * SECOND)
    [alert] = await watch(world.db)
    assert (alert.rule, alert.about, alert.unit_id) == ("relay.oldest_unread", "해운대점", world.tree.haeundae.id)

    await world.read()
    await clock.advance(world.db, 16 * SECOND)
    assert await watch(world.db) == []


async def test_a_failed_callback_calls_after_a_minute(world: RelayWorld) -> None:
    await world.say("질문")
    [handed] = await world.read()
    await world.reply(handed.letter.uid, "답")
    await clock.advance(world.db, 2 * SECOND)
    await drain(Parts(world.db, make_kinds(ScriptedKakao(Rejected("no")))))

    assert await watch(world.db) == []
    for _ in range(5):
        await clock.advance(world.db, 15 * SECOND)
        fired = await watch(world.db)

    assert [(one.rule, one.unit_id) for one in fired] == [("relay.failed_callbacks", world.tree.haeundae.id)]


async def test_an_account_is_asleep_once_somebody_wrote_to_it(world: RelayWorld) -> None:
    await clock.advance(world.db, 2 * MINUTE)
    quiet = await watch(world.db)
    await world.say("거기 있나요?")
    await clock.advance(world.db, 15 * SECOND)
    [alert] = await watch(world.db)
    await world.read()
    await clock.advance(world.db, 15 * SECOND)

    assert quiet == []
    assert (alert.rule, alert.about) == ("relay.asleep", "해운대점")
    assert await watch(world.db) == []


async def test_guessing_at_codes_calls_the_house(world: RelayWorld) -> None:
    for _ in range(5):
        await world.say("/pair AAAA-AAAA", "guesser")

    [alert] = await watch(world.db)
    await clock.advance(world.db, 16 * MINUTE)

    assert (alert.rule, alert.unit_id) == ("relay.guessing", None)
    assert await watch(world.db) == []


def test_every_rule_is_handed_over_with_its_settings() -> None:
    check_rules(alert_rules.MEASURES, alert_rules.RULES)
    keys = {one.key for one in SLICE.settings}

    assert {rule.threshold_setting.key for rule in alert_rules.RULES} <= keys
