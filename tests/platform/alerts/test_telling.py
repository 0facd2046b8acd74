"""What people read says what is wrong, how much, where and what to do, in both languages."""

from dataclasses import replace

from pabal.base.database import Database
from pabal.platform import alerts, notifications
from pabal.platform.alerts import Announcement, News, Reading, make_notice
from tests.platform.alerts.house import House
from tests.support.people import person, plant


async def test_a_firing_alert_says_what_how_much_and_what_to_do(db: Database) -> None:
    house = House(db)
    alert = await house.fire([Reading(99.5, "bot {1}")])

    notice = make_notice(Announcement(News.FIRED, alert, house.rule))

    assert (notice.say_title("en"), notice.say_title("ko")) == ("Too high — bot {1}", "너무 높음 — bot {1}")
    assert notice.say_text("en") == "Now 99.5 s, threshold 10 s. Turn it down."
    assert notice.say_text("ko") == "지금 99.5 s, 기준 10 s. 낮추세요."
    assert (notice.name, notice.level, notice.link) == ("alerts.fired", "failure", f"/alerts/{alert.id}")


async def test_an_end_is_no_failure_and_gives_no_advice(db: Database) -> None:
    house = House(db)
    alert = await house.fire()

    notice = make_notice(Announcement(News.RESOLVED, replace(alert, value=1234.5), house.rule))

    assert (notice.level, notice.say_title("ko")) == ("info", "끝났습니다: 너무 높음")
    assert notice.say_text("en") == "Now 1,234.5 s, threshold 10 s."


async def test_an_alert_whose_rule_this_server_does_not_know_is_told_by_its_name(db: Database) -> None:
    alert = await House(db).fire()

    notice = make_notice(Announcement(News.REMINDED, alert, None))

    assert notice.say_title("en") == "Still there: test.too_high"


async def test_people_of_the_unit_find_it_among_their_notifications(db: Database) -> None:
    tree = await plant(db)
    house = House(db)
    house.dial.shows = [Reading(99, "bot:1", tree.haeundae.id)]
    await house.set(house.rule.held_for_setting, "0s")
    await house.sample()

    await alerts.evaluate_once(db, [house.rule], alerts.tell_people)

    async with db.transaction() as tx:
        told = await notifications.list_notifications(tx, person(tree.busan))
        others = await notifications.list_notifications(tx, person(tree.seoul))
    assert [(one.name, one.unit_id) for one in told] == [("alerts.fired", tree.haeundae.id)]
    assert others == []
