from dataclasses import replace

import pytest

from pabal.platform import audit, notifications
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.notifications import BadToken, ChannelForm, ChannelNameTaken, ChannelNotFound, Level
from pabal.platform.tenants import UnitNotFound
from tests.support.people import Tree, person
from tests.support.telegram import BOT, OTHER_TOKEN, TOKEN, VAULT, Office

FORM = ChannelForm("운영방", "-100200300", TOKEN, wants=("alerts.*",))


async def actions_of(office: Office) -> list[audit.Entry]:
    async with office.db.transaction() as tx:
        return await audit.list_entries(tx, audit.Wanted(action="channels.*"))


async def test_an_administrator_adds_a_channel_for_a_unit_below(office: Office, tree: Tree):
    admin = person(tree.busan)

    async with office.db.transaction() as tx:
        channel = await notifications.add_channel(tx, admin, VAULT, FORM, unit_id=tree.haeundae.id)
        listed = await notifications.list_channels(tx, admin)

    assert listed == [channel]
    assert (channel.unit_id, channel.bot_id, channel.token_tail) == (tree.haeundae.id, BOT, "wxyz")
    assert (channel.least_level, channel.wants, channel.is_active) == (Level.ATTENTION, ("alerts.*",), True)
    [entry] = await actions_of(office)
    assert (entry.action, entry.actor, entry.unit_id) == ("channels.add", admin.name, tree.haeundae.id)


async def test_a_token_is_shown_to_nobody_again(office: Office, tree: Tree):
    channel = await office.add_channel(tree.busan)
    async with office.db.transaction() as tx:
        form = ChannelForm("운영방", "1", OTHER_TOKEN)
        edited = await notifications.edit_channel(tx, ENGINE, VAULT, channel.id, form)
        await notifications.remove_channel(tx, ENGINE, channel.id)

    everything = repr((channel, edited, await actions_of(office)))

    assert [entry.after and entry.after.get("token") for entry in await actions_of(office)] == [None, "…1234", "…wxyz"]
    for token in (TOKEN, OTHER_TOKEN):
        assert token.partition(":")[2] not in everything


async def test_an_edit_without_a_token_keeps_the_one_there_is(office: Office, tree: Tree):
    channel = await office.add_channel(tree.busan)
    admin = person(tree.busan)

    async with office.db.transaction() as tx:
        form = ChannelForm("야간", "77", lang="en", least_level=Level.FAILURE, is_active=False)
        edited = await notifications.edit_channel(tx, admin, VAULT, channel.id, form)

    assert edited == replace(channel, name="야간", chat_id="77", lang="en", least_level=Level.FAILURE, is_active=False)
    entry = (await actions_of(office))[0]
    assert (entry.action, entry.about) == ("channels.edit", f"channel:{channel.id}")
    assert entry.before == {
        "name": "chat 4242", "chat_id": "4242", "lang": "ko", "least_level": "info", "is_active": True
    }  # fmt: skip
    assert entry.after == {"name": "야간", "chat_id": "77", "lang": "en", "least_level": "failure", "is_active": False}


async def test_a_removed_channel_takes_along_what_was_to_go_through_it(office: Office, tree: Tree):
    channel = await office.add_channel(tree.busan)
    await office.notify(tree.busan)

    async with office.db.transaction() as tx:
        await notifications.remove_channel(tx, person(tree.busan), channel.id)
    await office.run()

    assert office.api.received == []
    with pytest.raises(ChannelNotFound):
        await office.get_channel(channel)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_who_does_not_manage_changes_no_channel(office: Office, tree: Tree, role: Role):
    channel = await office.add_channel(tree.busan)
    before = await actions_of(office)

    await refused(office, person(tree.busan, role), channel.id, tree.busan.id, NotAllowed)

    assert await actions_of(office) == before
    assert await office.get_channel(channel) == channel


async def test_channels_above_and_beside_are_not_there_for_a_branch(office: Office, tree: Tree):
    for unit in (tree.hq, tree.busan, tree.nampo, tree.gangnam):
        channel = await office.add_channel(unit)
        branch = person(tree.haeundae)

        await refused(office, branch, channel.id, unit.id, (ChannelNotFound, UnitNotFound))
        async with office.db.transaction() as tx:
            assert await notifications.list_channels(tx, branch) == []
            for read in (notifications.get_channel, notifications.list_deliveries):
                with pytest.raises(ChannelNotFound):
                    await read(tx, branch, channel.id)


async def test_two_channels_of_a_unit_do_not_share_a_name(office: Office, tree: Tree):
    await office.add_channel(tree.busan, name="운영방")
    other = await office.add_channel(tree.busan, name="야간")
    await office.add_channel(tree.seoul, name="운영방")

    async with office.db.transaction() as tx:
        with pytest.raises(ChannelNameTaken):
            await notifications.add_channel(tx, ENGINE, VAULT, FORM, unit_id=tree.busan.id)
        with pytest.raises(ChannelNameTaken):
            await notifications.edit_channel(tx, ENGINE, VAULT, other.id, FORM)


async def test_a_new_channel_needs_a_token(office: Office, tree: Tree):
    async with office.db.transaction() as tx:
        with pytest.raises(BadToken):
            await notifications.add_channel(tx, ENGINE, VAULT, replace(FORM, token=None), unit_id=tree.busan.id)


async def test_a_test_goes_the_way_of_every_notice_and_its_result_is_to_be_seen(office: Office, tree: Tree):
    channel = await office.add_channel(tree.busan, name="운영방", is_active=False)
    admin = person(tree.busan)

    async with office.db.transaction() as tx:
        delivery_id = await notifications.send_test(tx, admin, channel.id)
    await office.run()

    assert office.texts() == ["✅ 파발이 여기에 쓸 수 있습니다. ‘운영방’ 채널 시험입니다."]
    async with office.db.transaction() as tx:
        [delivery] = await notifications.list_deliveries(tx, admin, channel.id)
        assert await notifications.list_notifications(tx, admin) == []
    assert (delivery.id, delivery.result, delivery.notification_id) == (delivery_id, "sent", None)
    assert (await actions_of(office))[0].action == "channels.test"


async def refused(
    office: Office, actor: Actor, channel_id: int, unit_id: int, error: type[Exception] | tuple[type[Exception], ...]
) -> None:
    """Every verb, each in a transaction of its own."""
    async with office.db.transaction() as tx:
        with pytest.raises(error):
            await notifications.add_channel(tx, actor, VAULT, FORM, unit_id=unit_id)
        with pytest.raises(error):
            await notifications.edit_channel(tx, actor, VAULT, channel_id, FORM)
        with pytest.raises(error):
            await notifications.remove_channel(tx, actor, channel_id)
        with pytest.raises(error):
            await notifications.send_test(tx, actor, channel_id)
