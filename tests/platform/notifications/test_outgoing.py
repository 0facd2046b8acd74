"""Webhooks: signed, retried, paused, sent again. On a real database and a real socket."""

import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import standardwebhooks

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import audit, notifications
from pabal.platform.actor import ENGINE, NotAllowed, Role
from pabal.platform.notifications import (
    Channel,
    ChannelNotFound,
    ChannelStopped,
    DeliveryNotFound,
    DeliveryOnItsWay,
    Level,
    NoSecret,
)
from tests.support.outways import Hit, Outpost, Receiver, open_outpost, receiving, reply
from tests.support.people import Tree, person
from tests.support.telegram import VAULT


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened:
        yield opened


@pytest.fixture
async def outpost(db: Database, tree: Tree, tmp_path: Path) -> AsyncIterator[Outpost]:
    async with open_outpost(db, tmp_path) as opened:
        yield opened


def is_signed(hit: Hit, secret: str) -> bool:
    """By the receivers' own library, at the moment the sender says it is."""
    at = datetime.fromtimestamp(int(hit.headers["webhook-timestamp"]), UTC)
    expected = standardwebhooks.Webhook(secret).sign(hit.id, at, hit.body.decode())
    return expected in hit.headers["webhook-signature"].split()


def secret_of(channel: Channel) -> str:
    assert channel.secret is not None
    return channel.secret


async def test_a_notice_is_posted_signed_with_what_it_says(outpost: Outpost, receiver: Receiver, tree: Tree):
    channel = await outpost.add(tree.busan, receiver.url, lang="en")

    await outpost.notify(tree.haeundae, text=("2 left", "2개 남음"), level=Level.FAILURE, link="/jobs/7", about="job:7")
    await outpost.run()

    [hit] = receiver.hits
    assert is_signed(hit, secret_of(channel))
    assert not is_signed(Hit(hit.headers, hit.body + b" "), secret_of(channel))
    assert hit.said["type"] == "messaging.delivery_failed"
    said = hit.said["data"]
    assert (said["title"], said["text"], said["level"], said["about"]) == (
        "A delivery failed",
        "2 left",
        "failure",
        "job:7",
    )
    assert (said["unit"]["id"], said["link"]) == (tree.haeundae.id, "https://pabal.example/jobs/7")
    [delivery] = await outpost.deliveries(channel)
    [attempt] = await outpost.attempts(delivery)
    assert (delivery.result, delivery.attempts, attempt.status) == ("sent", 1, 200)


async def test_the_timestamp_is_that_of_the_attempt_and_signed(outpost: Outpost, receiver: Receiver, tree: Tree):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(500), reply(200)]

    await outpost.notify()
    await outpost.run(over=timedelta(minutes=1))

    first, second = receiver.hits
    assert int(second.headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])
    assert is_signed(second, secret_of(channel))
    later = {**first.headers, "webhook-timestamp": second.headers["webhook-timestamp"]}
    assert not is_signed(Hit(later, first.body), secret_of(channel))


async def test_a_channel_hears_of_its_unit_and_below_at_its_level_and_by_its_patterns(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    await outpost.add(tree.haeundae, receiver.url, wants=("messaging.*",), least_level=Level.ATTENTION)

    await outpost.notify(tree.haeundae, level=Level.FAILURE, title=("heard", "들음"))
    for unit in (tree.busan, tree.nampo, tree.hq, tree.gangnam):
        await outpost.notify(unit, level=Level.FAILURE)
    await outpost.notify(tree.haeundae, level=Level.INFO)
    await outpost.notify(tree.haeundae, level=Level.FAILURE, name="alerts.fired")
    await outpost.run()

    assert [hit.said["data"]["title"] for hit in receiver.hits] == ["들음"]


async def test_what_fails_is_tried_again_under_one_id_and_every_try_is_seen(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(503, "busy\r\n now"), None, reply(400, "odd"), reply(204)]

    await outpost.notify()
    await outpost.run(over=timedelta(minutes=5))

    assert len({hit.id for hit in receiver.hits}) == 1
    assert len({hit.body for hit in receiver.hits}) == 1
    assert [hit.headers["pabal-attempt"] for hit in receiver.hits] == ["1", "2", "3", "4"]
    [delivery] = await outpost.deliveries(channel)
    tries = await outpost.attempts(delivery)
    assert [(one.number, one.status) for one in tries] == [(1, 503), (2, None), (3, 400), (4, 204)]
    assert (tries[0].reason, bool(tries[1].reason)) == ("busy now", True)
    waits = [later.at - sooner.at for sooner, later in itertools.pairwise(tries)]
    assert waits == sorted(waits)
    assert (delivery.result, (await outpost.get(channel)).failures) == ("sent", 0)


async def test_a_receiver_that_names_a_wait_is_left_alone_for_so_long(outpost: Outpost, receiver: Receiver, tree: Tree):
    await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(429, "", "Retry-After: 600"), reply(200)]

    await outpost.notify()
    await outpost.run(over=timedelta(minutes=9))
    before = len(receiver.hits)
    await outpost.run(over=timedelta(minutes=2))

    assert (before, len(receiver.hits)) == (1, 2)


async def test_one_message_a_receiver_will_not_take_keeps_no_other_back(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(422), reply(200)]

    await outpost.notify(title=("first", "첫째"))
    await outpost.notify(title=("second", "둘째"))
    await outpost.run()

    assert [one.result for one in await outpost.deliveries(channel)] == [None, "sent"]


async def test_after_many_failures_a_channel_is_paused_people_are_told_and_nothing_is_lost(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.busan, receiver.url)
    receiver.answers = [reply(500, "down")]

    await outpost.notify(tree.busan)
    await outpost.run(over=timedelta(hours=4))
    paused, tried = await outpost.get(channel), len(receiver.hits)
    await outpost.notify(tree.busan, title=("while paused", "멈춘 동안"))
    await outpost.run(over=timedelta(hours=4))

    assert paused.stopped_at is not None
    assert paused.failures == tried == 12
    assert len(receiver.hits) == tried
    async with outpost.db.transaction() as tx:
        told = [one for one in await notifications.list_notifications(tx, ENGINE) if one.level is Level.FAILURE]
    assert [(one.name, one.unit_id) for one in told] == [("notifications.channel_stopped", tree.busan.id)]
    ended = await outpost.deliveries(channel)
    assert [one.result for one in ended] == ["failed"] * len(ended)

    receiver.answers = [reply(200)]
    async with outpost.db.transaction() as tx:
        with pytest.raises(ChannelStopped):
            await notifications.replay_since(tx, ENGINE, channel.id, tx.now - timedelta(days=1))
        await notifications.open_channel(tx, ENGINE, channel.id)
        again = await notifications.replay_since(tx, ENGINE, channel.id, tx.now - timedelta(days=1))
    await outpost.run(over=timedelta(minutes=1))

    arrived = receiver.hits[tried:]
    assert len(again) == len(arrived) == len(ended)
    assert "멈춘 동안" in [hit.said["data"]["title"] for hit in arrived]
    assert arrived[0].id == receiver.hits[0].id
    assert {hit.headers["pabal-replay"] for hit in arrived} == {"true"}


async def test_a_busy_channel_is_not_paused_within_the_hour(outpost: Outpost, receiver: Receiver, tree: Tree):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(500)]

    for _ in range(15):
        await outpost.notify()
    await outpost.run()

    found = await outpost.get(channel)
    assert (found.failures, found.stopped_at) == (15, None)


async def test_a_test_that_arrives_opens_a_paused_channel_and_one_that_fails_does_not(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(410), reply(500), reply(200)]
    await outpost.notify()
    await outpost.run()
    gone = await outpost.get(channel)

    async def send_test() -> Channel:
        async with outpost.db.transaction() as tx:
            await notifications.send_test(tx, ENGINE, channel.id)
        await outpost.run()
        return await outpost.get(channel)

    still = await send_test()
    opened = await send_test()

    assert gone.stopped_at is not None
    assert still.stopped_at is not None
    assert (opened.stopped_at, opened.failures, opened.last_error) == (None, 0, None)
    assert [one.result for one in await outpost.deliveries(channel)] == ["failed", "failed", "sent"]
    assert receiver.hits[-1].said["type"] == "notifications.channel_tested"


async def test_a_secret_is_sealed_shown_once_and_replaced_with_an_overlap(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    async with outpost.db.transaction() as tx:
        rotated = await notifications.rotate_secret(tx, ENGINE, channel.id, vault=VAULT, overlap=timedelta(hours=2))
        trail = repr(await audit.list_entries(tx, audit.Wanted(action="channels.*")))
        kept = repr(await notifications.list_channels(tx, ENGINE))
    old, new = secret_of(channel), secret_of(rotated)

    await outpost.notify()
    await outpost.run()
    await clock.advance(outpost.db, timedelta(hours=3))
    await outpost.notify()
    await outpost.run()

    during, after = receiver.hits
    assert old != new
    assert (await outpost.get(channel)).secret is None
    for secret in (old, new):
        assert secret not in trail + kept + repr(channel) + repr(rotated)
    assert (is_signed(during, old), is_signed(during, new)) == (True, True)
    assert (is_signed(after, old), is_signed(after, new)) == (False, True)


async def test_one_thing_is_sent_again_under_its_first_id_but_not_beside_itself(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    other = await outpost.add(tree.hq, receiver.url, name="other")
    await outpost.notify()
    await outpost.run()
    [first] = await outpost.deliveries(channel)
    [theirs] = await outpost.deliveries(other)

    async with outpost.db.transaction() as tx:
        await notifications.replay_delivery(tx, ENGINE, channel.id, first.id)
    async with outpost.db.transaction() as tx:
        with pytest.raises(DeliveryOnItsWay):
            await notifications.replay_delivery(tx, ENGINE, channel.id, first.id)
        with pytest.raises(DeliveryNotFound):
            await notifications.replay_delivery(tx, ENGINE, channel.id, theirs.id)
    await outpost.run()
    async with outpost.db.transaction() as tx:
        again = (await outpost.deliveries(channel))[-1]
        await notifications.replay_delivery(tx, ENGINE, channel.id, again.id)
    await outpost.run()

    mine = [hit for hit in receiver.hits if is_signed(hit, secret_of(channel))]
    assert len(mine) == 3
    assert len({hit.id for hit in mine}) == 1


async def test_since_a_moment_only_what_did_not_arrive_is_sent_again_unless_all_is_wanted(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    receiver.answers = [reply(200)]
    await outpost.notify(title=("old", "옛"))
    await outpost.run()
    await clock.advance(outpost.db, timedelta(hours=2))
    await outpost.notify(title=("arrived", "도착"))
    await outpost.run()
    async with outpost.db.transaction() as tx:
        since = tx.now - timedelta(hours=1)
        nothing = await notifications.replay_since(tx, ENGINE, channel.id, since)
        everything = await notifications.replay_since(tx, ENGINE, channel.id, since, also_sent=True)
        twice = await notifications.replay_since(tx, ENGINE, channel.id, since, also_sent=True)

    assert (len(nothing), len(everything), len(twice)) == (0, 1, 0)


async def test_an_app_calls_back_through_a_webhook_in_the_commit_of_its_cause(
    outpost: Outpost, receiver: Receiver, tree: Tree
):
    channel = await outpost.add(tree.hq, receiver.url)
    mailbox = await outpost.add(tree.hq, "kim@example.com", kind="email")

    async with outpost.db.transaction() as tx:
        await notifications.call(tx, channel.id, "rules.run_ended", {"run": 7, "ok": True})
        with pytest.raises(NoSecret):
            await notifications.call(tx, mailbox.id, "rules.run_ended", {})
    await outpost.run()

    [hit] = receiver.hits
    assert (hit.said["type"], hit.said["data"]) == ("rules.run_ended", {"run": 7, "ok": True})
    [delivery] = await outpost.deliveries(channel)
    assert (delivery.is_call, delivery.is_test) == (True, False)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_who_does_not_manage_repairs_nothing(outpost: Outpost, receiver: Receiver, tree: Tree, role: Role):
    channel = await outpost.add(tree.busan, receiver.url)

    await refused(outpost, channel, person(tree.busan, role), NotAllowed)


async def test_a_branch_repairs_no_channel_above_or_beside(outpost: Outpost, receiver: Receiver, tree: Tree):
    for unit in (tree.hq, tree.busan, tree.nampo):
        channel = await outpost.add(unit, receiver.url)

        await refused(outpost, channel, person(tree.haeundae), ChannelNotFound)
        async with outpost.db.transaction() as tx:
            with pytest.raises(ChannelNotFound):
                await notifications.list_attempts(tx, person(tree.haeundae), channel.id, 1)


async def refused(outpost: Outpost, channel: Channel, actor: object, error: type[Exception]) -> None:
    async with outpost.db.transaction() as tx:
        with pytest.raises(error):
            await notifications.rotate_secret(tx, actor, channel.id, vault=VAULT)  # type: ignore[arg-type] -- an actor
        with pytest.raises(error):
            await notifications.open_channel(tx, actor, channel.id)  # type: ignore[arg-type] -- an actor
        with pytest.raises(error):
            await notifications.replay_delivery(tx, actor, channel.id, 1)  # type: ignore[arg-type] -- an actor
        with pytest.raises(error):
            await notifications.replay_since(tx, actor, channel.id, tx.now)  # type: ignore[arg-type] -- an actor
