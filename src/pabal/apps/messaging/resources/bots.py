"""Bots and the devices that say they are one."""

from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.bots import Bot, Device, DeviceState
from pabal.apps.messaging.model.content import ImageMode
from pabal.engine import ids
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

AREA = "messaging"
_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.bots", f"{_HERE}.store.bots", f"{_HERE}.cli.finding"
IMAGE_MODES = {"single": ("one by one", "한 장씩"), "group": ("as a group", "묶음으로")}
SERVER = "wrk_01h2xcejqtf2n"


class DeviceView(View):
    """A phone that said it is this bot. `server` is where it is connected now."""

    id: int = field(("No.", "번호"), example=2)
    bot_id: int = field(("Bot no.", "봇 번호"), example=1)
    bot_name: str = field(("Bot", "봇"), example="busan1")
    device_id: str | None = field(
        ("Device", "기기"), description="Null for who may not manage messaging.", example="9774d56d682e549c"
    )
    state: DeviceState = field(("State", "상태"), status="bot_device", example="approved")
    client_version: str = field(("Script", "스크립트"), example="3.3.3")
    client_type: str = field(("App", "앱"), example="MessengerBotR")
    info: str = field(("Model", "기종"), example="SM-G998N")
    address: str = field(("Address", "주소"), example="127.0.0.1:50412")
    networks: list[str] = field(
        ("Networks", "승인한 주소"), description="Where it may call from without being asked.", example=["10.0.0.0/24"]
    )
    asks_from: str | None = field(
        ("Asks from", "승인 대기 주소"),
        description="An address it called from that is in none of them: approve or deny it.",
        example=None,
    )
    signature: str = field(
        ("Signature", "서명"), description="Of its last pong: none, valid or invalid.", example="none"
    )
    role: str | None = field(
        ("Role", "역할"),
        description="sends, or reserve: it is connected and takes over when the one that sends leaves.",
        words={"sends": ("sends", "보냄"), "reserve": ("in reserve", "예비")},
        example="sends",
    )
    server: str | None = field(("Server", "서버"), example=SERVER)
    connected_at: datetime | None = field(("Connected", "연결된 때"))
    last_ping_at: datetime | None = field(("Last signal", "마지막 신호"))
    monitoring: dict[str, Any] = field(("Told of itself", "기기 정보"), example={})
    decided_by: str | None = field(("Decided by", "정한 사람"), example="user:12")
    decided_at: datetime | None = field(("Decided", "정한 때"))
    created_at: datetime = field(("First seen", "처음 본 때"))


class BotView(View):
    """A bot. `state` is online, offline or excluded, waiting (its phone is connected and waits for approval), or
    wrong_secret (its phone is connected and does not sign as it must).

    `waiting` counts what is queued for it.

    Who only uses it in a room sees no devices. Its secret is never shown.
    """

    id: int = field(("No.", "번호"), example=1)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="busan1")
    state: str = field(("State", "상태"), status="bot", example="online")
    image_mode: ImageMode = field(("Images", "그림 보내기"), words=IMAGE_MODES, example="single")
    has_secret: bool = field(("Signs", "서명"), example=False)
    failures: int = field(("Failures in a row", "이어진 실패"), description="In a row.", example=0)
    waiting: int = field(("Waiting", "대기"), example=0)
    pending: int = field(("To approve", "승인 대기 기기"), description="Devices somebody must decide about.", example=0)
    server: str | None = field(("Server", "서버"), example=SERVER)
    last_ping_at: datetime | None = field(("Last signal", "마지막 신호"))
    excluded_at: datetime | None = field(("Excluded", "제외한 때"))
    excluded_by: str | None = field(("Excluded by", "제외한 사람"), example=None)
    excluded_reason: str | None = field(("Why excluded", "제외한 까닭"), example=None)
    created_at: datetime = field(("Made", "만든 때"))
    devices: list[DeviceView] = field(("Devices", "기기"))


def show_bot(actor: Actor, bot: Bot) -> Bot:
    """As this actor may see it: ids of devices are for administrators."""
    return bot if actor.may(Right.MANAGE, AREA) else bot.without_ids()


def show_device(actor: Actor, device: Device) -> Device:
    return device if actor.may(Right.MANAGE, AREA) else device.without_id()


def view_device(device: Device, viewer: Viewer) -> DeviceView:
    return DeviceView.of(show_device(viewer.actor, device), server=_server(device.worker))


def view_bot(bot: Bot, viewer: Viewer) -> BotView:
    devices = [view_device(one, viewer) for one in bot.devices]
    pending = sum(one.waits for one in bot.devices)
    return BotView.of(bot, waiting=bot.lane, pending=pending, server=_server(bot.worker), devices=devices)


def _server(worker: int | None) -> str | None:
    return None if worker is None else ids.show("wrk", worker)


class BotFilter(Filter):
    q: str | None = ask("A part of its name.", option="--find", default=None)
    room: int | None = ask(
        "Only those in this room.", rules=ROW_ID, find=f"{_FIND}:find_room_id", example=3, default=None
    )


class DeviceFilter(Filter):
    state: DeviceState = ask(
        "Only those in this state; with `pending`, those that ask from a new address too.", default=DeviceState.PENDING
    )


class BotEdit(Ask):
    """Only what is given changes. `unit_id` null gives it to the house."""

    image_mode: ImageMode | None = ask("One packet each, or all in one.", option="--images", default=None)
    unit_id: int | None = ask(
        "Whose it is.",
        option="--org",
        metavar="UNIT",
        find="pabal.platform.commands.options:find_unit_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )
    confirm: bool = ask("Also when schedules of other units send by it.", option="--yes,-y", default=False)


class Exclude(Ask):
    reason: str = ask(
        "Why it gets nothing for now.", option="--message,-m", metavar="TEXT", example="The phone is being repaired."
    )


class BotSecret(Ask):
    """What its devices sign with. It is kept sealed and never shown."""

    secret: str = ask(
        "8 to 200 characters.", secret=("Secret", "비밀값"), rules=Rules(max_length=1000), example="a long secret"
    )
    salt: str = ask(
        "May be empty.",
        secret=("Salt (may be empty)", "솔트(비워도 됩니다)"),
        rules=Rules(max_length=1000),
        example="some salt",
        default="",
    )


DEVICE = Noun(
    "device",
    "devices",
    AREA,
    DeviceView,
    view=f"{__name__}:view_device",
    find=f"{_STORE}:get_device",
    hold=f"{_STORE}:hold_device",
    named=f"{_FIND}:find_device",
    words=f"{_HERE}.labels:STATUS",
    columns=(
        *("id", "bot_name", "device_id", "state", "role", "signature", "client_version", "address", "asks_from"),
        *("last_ping_at", "decided_by", "decided_at"),
    ),
    which="Its number: see `pabal msg bot show`; or its bot, when it has no other.",
    called="bot_device",
    get_help="Shows one device.",
    show_command="",
    title="device_id",
)
DEVICE.lists(
    "list_bot_devices",
    "Lists the devices in one state, the longest known first: without one, those that wait for a decision.",
    f"{_STORE}:list_devices",
    columns=("id", "bot_name", "device_id", "state", "client_version", "address", "asks_from", "last_ping_at"),
    empty=("No device is in this state.", "이 상태의 기기가 없습니다."),
    wanted=DeviceFilter,
    is_short=True,
    command="devices",
)
DEVICE.verb("approve", f"{_ACTIONS}:approve", "Lets a device be its bot, from the network it called from last.")
DEVICE.verb(
    "deny",
    f"{_ACTIONS}:deny",
    "Refuses a device that waits, or the new network it asks from. It may stay connected and receives nothing.",
)
DEVICE.verb("revoke", f"{_ACTIONS}:revoke", "Takes an approval back. The device receives nothing from now on.")
DEVICE.verb(
    "choose",
    f"{_ACTIONS}:choose",
    "Lets this phone send for its bot. The one that does stays connected, in reserve.",
)
DEVICE.verb("block", f"{_ACTIONS}:block", "Blocks a device: it may not even connect any more.")
DEVICE.verb(
    "unblock",
    f"{_ACTIONS}:unblock",
    "Lets a blocked device connect again. It waits for a decision as if it were new.",
)
DEVICE.on_many("approve", ("Approve", "승인"), undo="revoke")
DEVICE.on_many("deny", ("Refuse", "거절"))
DEVICE.on_many("revoke", ("Revoke", "승인 취소"), undo="approve", is_grave=True)
DEVICE.on_many("block", ("Block", "차단"), undo="unblock", is_grave=True)
DEVICE.on_many("unblock", ("Unblock", "차단 해제"), undo="block")

BOT = Noun(
    "bot",
    "bots",
    AREA,
    BotView,
    view=f"{__name__}:view_bot",
    find=f"{_STORE}:get_bot",
    hold=f"{_STORE}:hold_bot",
    named=f"{_FIND}:find_bot",
    words=f"{_HERE}.labels:STATUS",
    columns=(
        *("id", "name", "state", "unit_id", "waiting", "failures", "last_ping_at", "server", "image_mode"),
        *("has_secret", "excluded_reason", "created_at"),
    ),
    details={"devices": DEVICE.columns},
    get_help="Shows one bot, with its devices.",
)
BOT.lists(
    "list_bots",
    "Lists the bots of your units and those in their rooms, by name.",
    f"{_STORE}:list_bots",
    columns=(
        *("id", "name", "state", "unit_id", "waiting", "failures", "last_ping_at", "image_mode", "has_secret"),
        "pending",
    ),
    empty=(
        "No bot has connected yet: give the phone's script the address of this server, port 1490, or try pabal sim bot",
        "연결된 봇이 없습니다. 봇 앱에 이 서버의 주소와 1490 포트를 넣거나 pabal sim bot 을 써 보세요",
    ),
    wanted=BotFilter,
)
BOT.verb("edit", f"{_ACTIONS}:edit", "Changes how a bot is given images, and whose it is.", BotEdit, method="PATCH")
BOT.verb("exclude", f"{_ACTIONS}:exclude", "Gives a bot nothing more until somebody includes it again.", Exclude)
BOT.verb("include", f"{_ACTIONS}:include", "Brings an excluded bot back.")
BOT.verb(
    "secret",
    f"{_ACTIONS}:set_secret",
    "Sets what a bot's devices must sign with. It can be replaced or removed, never read.",
    BotSecret,
    operation="set_bot_secret",
    in_commands=False,
    method="PUT",
    answers_nothing=True,
    needs=("vault",),
)
BOT.verb(
    "remove_secret",
    f"{_ACTIONS}:set_secret",
    "Asks a bot's devices for no signature any more.",
    operation="remove_bot_secret",
    in_commands=False,
    method="DELETE",
    path="/bots/{id}/secret",
    answers_nothing=True,
    needs=("vault",),
)
