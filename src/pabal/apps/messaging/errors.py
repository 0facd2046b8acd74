"""What can go wrong in messaging, in words for those who must mend it. Grouped by room."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable
from pabal.platform.findings import FieldsRefused

if TYPE_CHECKING:
    from pabal.apps.messaging.model.rooms import Dependant, Namesake

# listener


class BadPacket(Invalid, code="bad_packet"):
    """A bot client sent something that is no packet of its protocol; it was told so, and may connect again."""


class HandshakeIncomplete(Invalid, code="handshake_incomplete"):
    """A bot client did not say who it is: it must name botName (1 to 30 characters), version and deviceID."""


class BotGone(Unavailable, code="bot_gone"):
    """The bot's connection is gone. It connects again by itself; look at the phone when it does not."""

    def __init__(self, detail: str = "", *, began: bool) -> None:
        """`began` False: no byte was handed over, so nothing can have arrived."""
        super().__init__(detail)
        self.began = began


class NoReceipt(Unavailable, code="no_receipt"):
    """The phone did not answer the ping behind a message in its time, so nobody knows whether it handled the message.
    Its connection was closed; it connects again by itself. Look at the phone when this happens again."""


class BotPortTaken(Unavailable, code="bot_port_taken"):
    """The port for bots cannot be listened on; most often another program or another Pabal server has it. Give this
    server another one (PABAL_BOTS_PORT), and name it in the phone's list of servers."""


# bots and rooms


class BotNotFound(NotFound, code="bot_not_found"):
    """There is no such bot, or it is not yours to see."""


class DeviceNotFound(NotFound, code="device_not_found"):
    """There is no such device, or it is not yours to see."""


class RoomNotFound(NotFound, code="room_not_found"):
    """There is no such room, or it is not yours to see."""


class RoomClaimed(Conflict, code="room_claimed"):
    """Somebody has claimed this room already. Edit it, or let it be released first."""


class RoomKnown(Conflict, code="room_known"):
    """A room with this channel id is known already. If you do not see it, ask the head office to claim it for you."""


class RoomNameTaken(Conflict, code="room_name_taken"):
    """The bot has this name for a room that is not yours to see, and it finds a room by its name: a text could arrive
    there. Give the chat another name in KakaoTalk, use another bot, or ask the head office to decide."""


class RoomNameRepeated(Conflict, code="room_name_repeated"):
    """The bot calls another room by this name too, and it finds a room by its name: a text could arrive there. While
    the two belong to different units, nothing is sent to either. Choose another name, or confirm that it is meant."""

    def __init__(self, namesakes: "Sequence[Namesake]") -> None:
        """All of them in sight."""
        self.namesakes = tuple(namesakes)
        self.members = {"rooms": [{"id": one.room_id, "name": one.name, "bot_id": one.bot_id} for one in namesakes]}
        super().__init__(", ".join(f"{one.name}: room {one.room_id}, bot {one.bot_name}" for one in namesakes))


class RoomInUse(Conflict, code="room_in_use"):
    """Schedules still send to this room. Delete them first, or give them another room."""


class SchedulesDepend(Conflict, code="schedules_depend"):
    """Schedules depend on this and could not send any more. Give them another room or bot first, or confirm that it is
    meant."""

    def __init__(self, dependants: "Sequence[Dependant]") -> None:
        """One that is out of sight has no title."""
        self.dependants = tuple(dependants)
        self.members = {"schedules": [{"id": one.id, "title": one.title} for one in dependants if one.title]}
        super().__init__(", ".join(f"{one.id} {one.title}" if one.title else "another unit's" for one in dependants))


class BadRoom(Invalid, code="bad_room"):
    """A room has a name of 1 to 200 characters, a channel id of 1 to 100, a note of up to 500, and limits from 0 up."""


class BadExclusion(Invalid, code="bad_exclusion"):
    """Say in 1 to 200 characters why the bot gets nothing for now."""


class BadBotSecret(Invalid, code="bad_bot_secret"):
    """A bot's secret has 8 to 200 characters, its salt up to 200. Leave both empty to ask for no signature any more."""


class TooManyDevices(Unavailable, code="too_many_devices"):
    """Too many devices wait for a decision; this one is not taken in. Approve or block those on the bots page first."""


class DeviceMoved(Conflict, code="device_moved"):
    """The device has called from another address since you looked. See where from, then decide again."""


class DeviceNotReady(Conflict, code="device_not_ready"):
    """Only a phone that is approved, connected and proven can be given its bot while another one sends. See the bot's
    page for what it lacks."""


class BotExcluded(Conflict, code="bot_excluded"):
    """This bot is excluded already."""


class BotIncluded(Conflict, code="bot_included"):
    """This bot is not excluded."""


# schedules and templates


class ScheduleNotFound(NotFound, code="schedule_not_found"):
    """There is no such schedule, or it is not yours to see."""


class TemplateNotFound(NotFound, code="template_not_found"):
    """There is no such template, or it is not yours to see."""


class ScheduleRefused(FieldsRefused, code="schedule_refused"):
    """The schedule cannot be saved as it is. What is wrong is said beside each field; mend that and save again."""


class TemplateRefused(FieldsRefused, code="template_refused"):
    """The template cannot be saved as it is. What is wrong is said beside each field; mend that and save again."""


class ScheduleChanged(Conflict, code="schedule_changed"):
    """Somebody else changed this schedule since you looked. Look at it again, then decide."""


class ScheduleOver(Conflict, code="schedule_over"):
    """This schedule has no moment ahead. Give it a later date or a longer validity, then it is active again."""


class ScheduleBusy(Conflict, code="schedule_busy"):
    """A message of this schedule is being sent right now. Wait until that has ended, then remove it for good."""


class TemplateNameTaken(Conflict, code="template_name_taken"):
    """This unit has a template of that name already. Choose another name, or edit that one."""


class NoPicture(Invalid, code="no_picture"):
    """The upload holds no picture. Choose one and add it again."""


class BadHours(Invalid, code="bad_hours"):
    """Hours read 09:00-12:59, several separated by commas, each from 00:00 to 23:59."""


# deliveries


class DeliveryNotFound(NotFound, code="delivery_not_found"):
    """There is no such send, or it is not yours to see."""


class ArchiveNotFound(NotFound, code="archive_not_found"):
    """There is no archive of this month. A month in which anything was due is put away on the 3rd of the next one."""


class BulkSendNotFound(NotFound, code="bulk_send_not_found"):
    """There is no such send to many rooms, or it is not yours to see."""


class NothingMissing(Conflict, code="nothing_missing"):
    """Every room of this has what it should, or it is still under way. Rooms of which nobody knows whether it arrived
    are sent to again only when you say so."""


class GroupNotFound(NotFound, code="room_group_not_found"):
    """There is no such group of rooms, or it is not yours to see."""


class GroupRefused(FieldsRefused, code="room_group_refused"):
    """This group of rooms cannot be kept as it is. What is wrong stands beside each field."""


class GroupInUse(Conflict, code="room_group_in_use"):
    """Schedules send to this group. Give them other rooms first, or delete them."""


class NotATestRoom(Invalid, code="not_a_test_room"):
    """This room is not a test room. Choose one that is, or make it one on its page."""


class BotNotInRoom(Invalid, code="bot_not_in_room"):
    """No bot that may send now is in this room. Invite one, let somebody write there once, and try again."""


class NothingToResume(Conflict, code="nothing_to_resume"):
    """Everything that may be sent of this has been. A part of which nobody knows is sent again only when you say so."""


class NotOver(Conflict, code="not_over"):
    """This send is still under way, or went out as it should; there is nothing to set aside."""


# simulator


class BadBotServer(Invalid, code="bad_bot_server"):
    """A server of bots reads HOST:PORT, such as 127.0.0.1:1490."""


class BadArrivalsFile(Invalid, code="bad_arrivals_file"):
    """The file for what arrives cannot be written to."""


class BadSimulatedRoom(Invalid, code="bad_simulated_room"):
    """A room of a simulated bot reads NAME=CHANNEL_ID, such as Haeundae=18390001."""


# statistics


class StatisticsNotFound(NotFound, code="statistics_not_found"):
    """There is no such table of statistics. The statistics page links every table it has."""


class UnknownDecision(NotFound, code="unknown_decision"):
    """A device is approved, denied, revoked, blocked or unblocked; there is nothing else to decide."""


# command line


class BadFile(Invalid, code="bad_file"):
    """This file cannot be read. Name one that is there; a text is UTF-8."""


class BadWhen(Invalid, code="bad_when"):
    """Say once when it is sent: --at '2026-07-03 09:00', --daily 09:00 or --weekly 'mon,thu 09:00'; a zone is named as
    in Asia/Seoul."""


class NoServerFolder(Forbidden, code="no_server_folder"):
    """The servers' files are not here, so that they could not find an image. Do it in the folder of a server, or set
    PABAL_DATA_DIR as it has it."""


KO: dict[str, str] = {
    # listener
    "bad_packet": "봇 클라이언트가 규약에 맞지 않는 내용을 보내 연결을 끊었습니다. 다시 연결할 수 있습니다.",
    "handshake_incomplete": "봇이 누구인지 밝히지 않았습니다. botName(1~30자), version, deviceID가 필요합니다.",
    "bot_gone": "봇과의 연결이 끊겼습니다. 봇은 스스로 다시 연결합니다. 돌아오지 않으면 전화기를 확인하세요.",
    "no_receipt": "전화기가 메시지 뒤의 핑에 제때 답하지 않아 메시지를 처리했는지 알 수 없습니다. "
    "연결을 닫았고 전화기는 스스로 다시 연결합니다. 되풀이되면 전화기를 확인하세요.",
    "bot_port_taken": "봇을 받을 포트를 쓸 수 없습니다. 대개 다른 프로그램이나 다른 Pabal 서버가 쓰고 있습니다. "
    "이 서버에 다른 포트(PABAL_BOTS_PORT)를 주고 전화기의 서버 목록에도 적으세요.",
    # bots and rooms
    "bot_not_found": "그런 봇이 없거나 볼 권한이 없습니다.",
    "device_not_found": "그런 기기가 없거나 볼 권한이 없습니다.",
    "room_not_found": "그런 톡방이 없거나 볼 권한이 없습니다.",
    "room_claimed": "이미 누군가 맡은 톡방입니다. 고치거나, 먼저 내놓게 하세요.",
    "room_known": "이 채널ID의 톡방은 이미 알려져 있습니다. 보이지 않으면 본사에 맡겨 달라고 하세요.",
    "room_name_taken": "이 봇에는 볼 권한이 없는 같은 이름의 톡방이 있습니다. "
    "봇은 이름으로 톡방을 찾으므로 글이 그쪽으로 갈 수 있습니다. "
    "카카오톡에서 톡방 이름을 바꾸거나, 다른 봇을 쓰거나, 본사에 정해 달라고 하세요.",
    "room_name_repeated": "이 봇에는 같은 이름의 톡방이 또 있습니다. "
    "봇은 이름으로 톡방을 찾으므로 글이 그쪽으로 갈 수 있고, "
    "두 톡방의 조직이 다르면 어느 쪽에도 보내지 않습니다. 다른 이름을 쓰거나, 그래도 맞다면 확인해 주세요.",
    "room_in_use": "이 톡방으로 보내는 스케줄이 있습니다. 먼저 지우거나 다른 톡방으로 바꾸세요.",
    "schedules_depend": "이것을 쓰는 스케줄이 있어 더 보낼 수 없게 됩니다. "
    "먼저 다른 톡방이나 봇으로 바꾸거나, 그래도 맞다면 확인해 주세요.",
    "bad_room": "톡방 이름은 1~200자, 채널ID는 1~100자, 메모는 500자까지, 제한은 0 이상이어야 합니다.",
    "bad_exclusion": "봇에 보내지 않는 까닭을 1~200자로 적으세요.",
    "bad_bot_secret": "봇의 비밀값은 8~200자, 솔트는 200자까지입니다. 서명을 더 받지 않으려면 둘 다 비우세요.",
    "too_many_devices": "결정을 기다리는 기기가 너무 많아 이 기기를 받지 않았습니다. "
    "봇 화면에서 먼저 승인하거나 차단하세요.",
    "device_not_ready": "승인되고 연결되어 있으며 비밀값이 맞는 예비 전화기만 보내게 할 수 있습니다. "
    "무엇이 모자란지 봇 화면에서 확인하세요.",
    "device_moved": "보는 사이에 이 기기가 다른 주소에서 연결했습니다. 어디서 왔는지 확인하고 다시 정하세요.",
    "bot_excluded": "이미 제외한 봇입니다.",
    "bot_included": "제외하지 않은 봇입니다.",
    # schedules and templates
    "schedule_not_found": "그런 스케줄이 없거나 볼 권한이 없습니다.",
    "template_not_found": "그런 템플릿이 없거나 볼 권한이 없습니다.",
    "schedule_refused": "이대로는 예약할 수 없습니다. 각 항목 옆에 적힌 것을 고치고 다시 저장하세요.",
    "template_refused": "이대로는 템플릿을 저장할 수 없습니다. 각 항목 옆에 적힌 것을 고치고 다시 저장하세요.",
    "schedule_changed": "보는 사이에 다른 사람이 이 스케줄을 바꿨습니다. 다시 보고 정하세요.",
    "schedule_over": "보낼 시각이 남지 않은 스케줄입니다. 날짜나 유효기간을 늦추면 다시 켜집니다.",
    "schedule_busy": "이 스케줄의 메시지를 지금 보내는 중입니다. 끝난 뒤에 완전히 지우세요.",
    "template_name_taken": "이 조직에 같은 이름의 템플릿이 있습니다. 이름을 바꾸거나 그 템플릿을 고치세요.",
    "no_picture": "올라온 그림이 없습니다. 그림을 골라 다시 넣으세요.",
    "bad_hours": "시간대는 09:00-12:59처럼 적고, 여럿이면 쉼표로 나누세요. 00:00부터 23:59까지 쓸 수 있습니다.",
    # deliveries
    "delivery_not_found": "그런 발송이 없거나 볼 권한이 없습니다.",
    "archive_not_found": "그 달의 보관 파일이 없습니다. 보낼 것이 있던 달은 다음 달 3일에 보관합니다.",
    "bulk_send_not_found": "그런 단체 발송이 없거나 볼 권한이 없습니다.",
    "nothing_missing": "빠진 톡방이 없거나 아직 보내는 중입니다. "
    "도착했는지 알 수 없는 톡방은 다시 보내기를 골라야 보냅니다.",
    "room_group_not_found": "그런 톡방 그룹이 없거나 볼 권한이 없습니다.",
    "room_group_refused": "이대로는 톡방 그룹을 저장할 수 없습니다. 각 항목 옆에 적힌 것을 고치고 다시 저장하세요.",
    "room_group_in_use": "이 그룹으로 보내는 스케줄이 있습니다. 먼저 다른 톡방을 주거나 지우세요.",
    "not_a_test_room": "테스트 톡방이 아닙니다. 테스트 톡방을 고르거나, 톡방 화면에서 테스트로 바꾸세요.",
    "bot_not_in_room": "지금 보낼 수 있는 봇이 이 톡방에 없습니다. "
    "봇을 초대하고 톡방에 글을 하나 남긴 뒤 다시 해 보세요.",
    "nothing_to_resume": "보낼 수 있는 것은 모두 보냈습니다. "
    "도착했는지 알 수 없는 부분은 다시 보내기를 골라야 보냅니다.",
    "not_over": "아직 보내는 중이거나 제대로 보낸 발송입니다. 넘길 것이 없습니다.",
    # simulator
    "bad_bot_server": "봇 서버는 호스트:포트로 적으세요. 예: 127.0.0.1:1490",
    "bad_arrivals_file": "도착한 것을 적을 파일에 쓸 수 없습니다.",
    "bad_simulated_room": "시뮬레이터의 톡방은 이름=채널ID로 적으세요. 예: 해운대점=18390001",
    # statistics
    "statistics_not_found": "그런 통계 표가 없습니다. 통계 화면에 있는 표만 내보낼 수 있습니다.",
    "unknown_decision": "기기는 승인, 거절, 승인 거두기, 막기, 막기 풀기만 할 수 있습니다.",
    # command line
    "bad_file": "파일을 읽을 수 없습니다. 있는 파일을 적으세요. 글은 UTF-8이어야 합니다.",
    "bad_when": "언제 보낼지 하나만 적으세요: --at '2026-07-03 09:00', --daily 09:00, --weekly '월,목 09:00'. "
    "시간대는 Asia/Seoul처럼 적습니다.",
    "no_server_folder": "서버의 파일이 여기에 없어 그림을 넣어도 서버가 찾지 못합니다. 서버의 폴더에서 하거나 "
    "PABAL_DATA_DIR을 서버와 같게 정하세요.",
}
