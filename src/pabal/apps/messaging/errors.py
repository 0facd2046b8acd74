"""What can go wrong in messaging, in words for those who must mend it. Grouped by room."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable

if TYPE_CHECKING:
    from pabal.apps.messaging.model.findings import Finding
    from pabal.apps.messaging.model.rooms import Namesake

# listener


class BadPacket(Invalid):
    """A bot client sent something that is no packet of its protocol; it was told so, and may connect again."""


class HandshakeIncomplete(Invalid):
    """A bot client did not say who it is: it must name botName (1 to 30 characters), version and deviceID."""


class BotGone(Unavailable):
    """The bot's connection is gone. It connects again by itself; look at the phone when it does not."""

    def __init__(self, detail: str = "", *, began: bool) -> None:
        """`began` False: no byte was handed over, so nothing can have arrived."""
        super().__init__(detail)
        self.began = began


class BotPortTaken(Unavailable):
    """The port for bots cannot be listened on; most often another program or another Pabal server has it. Give this
    server another one (PABAL_BOTS_PORT), and name it in the phone's list of servers."""


# bots and rooms


class BotNotFound(NotFound):
    """There is no such bot, or it is not yours to see."""


class DeviceNotFound(NotFound):
    """There is no such device, or it is not yours to see."""


class RoomNotFound(NotFound):
    """There is no such room, or it is not yours to see."""


class RoomClaimed(Conflict):
    """Somebody has claimed this room already. Edit it, or let it be released first."""


class RoomKnown(Conflict):
    """A room with this channel id is known already. If you do not see it, ask the head office to claim it for you."""


class RoomNameTaken(Conflict):
    """The bot has this name for a room that is not yours to see, and it finds a room by its name: a text could arrive
    there. Give the chat another name in KakaoTalk, use another bot, or ask the head office to decide."""


class RoomNameRepeated(Conflict):
    """The bot calls another room by this name too, and it finds a room by its name: a text could arrive there. While
    the two belong to different units, nothing is sent to either. Choose another name, or confirm that it is meant."""

    def __init__(self, namesakes: "Sequence[Namesake]") -> None:
        """All of them in sight."""
        self.namesakes = tuple(namesakes)
        self.members = {"rooms": [{"id": one.room_id, "name": one.name, "bot_id": one.bot_id} for one in namesakes]}
        super().__init__(", ".join(f"{one.name}: room {one.room_id}, bot {one.bot_name}" for one in namesakes))


class RoomInUse(Conflict):
    """Schedules still send to this room. Delete them first, or give them another room."""


class BadRoom(Invalid):
    """A room has a name of 1 to 200 characters, a channel id of 1 to 100, a note of up to 500, and limits from 0 up."""


class BadExclusion(Invalid):
    """Say in 1 to 200 characters why the bot gets nothing for now."""


class BadBotSecret(Invalid):
    """A bot's secret has 8 to 200 characters, its salt up to 200. Leave both empty to ask for no signature any more."""


class TooManyDevices(Unavailable):
    """Too many devices wait for a decision; this one is not taken in. Approve or block those on the bots page first."""


class DeviceMoved(Conflict):
    """The device has called from another address since you looked. See where from, then decide again."""


class BotExcluded(Conflict):
    """This bot is excluded already."""


class BotIncluded(Conflict):
    """This bot is not excluded."""


# schedules and templates


class ScheduleNotFound(NotFound):
    """There is no such schedule, or it is not yours to see."""


class TemplateNotFound(NotFound):
    """There is no such template, or it is not yours to see."""


class ContentRefused(Invalid):
    """It cannot be saved as it is. What is wrong is said beside each field."""

    # as the fields of the caller's own request name it: an edge's to say
    faults: Sequence[object] = ()

    def __init__(self, findings: "Sequence[Finding]") -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{one.field}: {one.text[0]}" for one in self.findings))


class ScheduleRefused(ContentRefused):
    """The schedule cannot be saved as it is. What is wrong is said beside each field; mend that and save again."""


class TemplateRefused(ContentRefused):
    """The template cannot be saved as it is. What is wrong is said beside each field; mend that and save again."""


class ScheduleChanged(Conflict):
    """Somebody else changed this schedule since you looked. Look at it again, then decide."""


class ScheduleOver(Conflict):
    """This schedule has no moment ahead. Give it a later date or a longer validity, then it is active again."""


class ScheduleBusy(Conflict):
    """A message of this schedule is being sent right now. Wait until that has ended, then remove it for good."""


class TemplateNameTaken(Conflict):
    """This unit has a template of that name already. Choose another name, or edit that one."""


class NoPicture(Invalid):
    """The upload holds no picture. Choose one and add it again."""


class BadHours(Invalid):
    """Hours read 09:00-12:59, several separated by commas, each from 00:00 to 23:59."""


# deliveries


class DeliveryNotFound(NotFound):
    """There is no such send, or it is not yours to see."""


class ArchiveNotFound(NotFound):
    """There is no archive of this month. A month in which anything was due is put away on the 3rd of the next one."""


class NotATestRoom(Invalid):
    """This room is not a test room. Choose one that is, or make it one on its page."""


class BotNotInRoom(Invalid):
    """No bot that may send now is in this room. Invite one, let somebody write there once, and try again."""


class NothingToResume(Conflict):
    """Everything that may be sent of this has been. A part of which nobody knows is sent again only when you say so."""


class NotOver(Conflict):
    """This send is still under way, or went out as it should; there is nothing to set aside."""


# simulator


class BadBotServer(Invalid):
    """A server of bots reads HOST:PORT, such as 127.0.0.1:1490."""


class BadArrivalsFile(Invalid):
    """The file for what arrives cannot be written to."""


class BadSimulatedRoom(Invalid):
    """A room of a simulated bot reads NAME=CHANNEL_ID, such as Haeundae=18390001."""


# statistics


class StatisticsNotFound(NotFound):
    """There is no such table of statistics. The statistics page links every table it has."""


class UnknownDecision(NotFound):
    """A device is approved, denied, revoked, blocked or unblocked; there is nothing else to decide."""


# command line


class BadFile(Invalid):
    """This file cannot be read. Name one that is there; a text is UTF-8."""


class BadWhen(Invalid):
    """Say once when it is sent: --at '2026-07-03 09:00', --daily 09:00 or --weekly 'mon,thu 09:00'; a zone is named as
    in Asia/Seoul."""


class NoServerFolder(Forbidden):
    """The servers' files are not here, so that they could not find an image. Do it in the folder of a server, or set
    PABAL_DATA_DIR as it has it."""
