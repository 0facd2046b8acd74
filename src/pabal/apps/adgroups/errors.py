"""What can go wrong, with the sentence people read. Korean stands first, by code."""

from pabal.base.errors import Conflict, Invalid, NotFound, Unavailable
from pabal.platform.findings import FieldsRefused

KO: dict[str, str] = {
    "bad_day_parts": "이 시간대는 저장할 수 없습니다. 요일마다 00:00~24:00 사이 구간을 적고, 한 주에 하나 이상, "
    "같은 구간은 한 번만 적으세요. 시작보다 이른 끝은 다음 날로 봅니다.",
    "ad_group_not_found": "그런 광고그룹이 없거나 볼 권한이 없습니다.",
    "campaign_not_found": "그런 캠페인이 없거나 볼 권한이 없습니다.",
    "inventory_not_found": "그런 인벤토리가 없거나 볼 권한이 없습니다.",
    "inventory_code_taken": "다른 인벤토리가 이 코드를 씁니다. 광고 서버가 코드로 찾으므로 서로 달라야 합니다.",
    "creative_not_found": "이 광고그룹에 그런 소재가 없습니다.",
    "bad_ad_group": "이대로는 저장할 수 없습니다. 이름은 200자까지, 종료는 시작보다 늦어야 합니다.",
    "bad_campaign": "이대로는 저장할 수 없습니다. 이름은 200자까지, 종료는 시작보다 늦어야 합니다.",
    "bad_creative": "소재에는 200자까지의 이름과 http:// 또는 https://로 시작하는 주소가 있어야 합니다.",
    "bad_inventory": "인벤토리에는 이름과, 글자·숫자·점·붙임표·밑줄로 된 64자까지의 코드가 있어야 합니다.",
    "ad_group_over": "만료되었거나 삭제된 광고그룹은 바꿀 수 없습니다. 새로 만드세요.",
    "already_started": "이미 시작해서 시작 시각은 바꿀 수 없습니다. 종료와 시간대는 바꿀 수 있습니다.",
    "setup_locked": "승인된 내용은 바꿀 수 없습니다. 소재와 인벤토리는 임시저장이나 준비완료일 때만 "
    "바꿉니다. 다른 내용은 새로 만드세요.",
    "ad_group_changed": "보는 동안 다른 사람이 바꾸었습니다. 다시 보고 정하세요.",
    "no_such_delayed_event": "이 광고그룹이 기다리는 그런 이벤트가 없습니다. 그사이 일어났거나 옮겨졌을 수 있습니다.",
    "must_end": "광고그룹은 끝나야 합니다. 만료는 옮길 수 있지만 없앨 수 없습니다. "
    "지금 멈추려면 일시중지하거나 삭제하세요.",
    "cannot_move_there": "지난 시각으로는 옮길 수 없습니다. "
    "일별 이벤트는 일주일 안에서, 그 다음 경계와 종료 시각보다 앞으로만 옮길 수 있습니다.",
    "bad_events": "광고그룹 이벤트를 쉼표로 나누어 적으세요: start, expire, reject, pause.",
    # the rest edge and the actions below it
    "campaign_elsewhere": "광고그룹은 조직을 옮기지 않습니다. 같은 조직의 캠페인을 고르거나 그곳에 새로 만드세요.",
    # G3, serving
    "serving_away": "광고 서버가 읽는 Redis가 응답하지 않거나 거절합니다. 켜져 있는지, PABAL_SERVING_URL이 맞는지 "
    "보세요. 쓸 것은 Redis가 돌아오면 씁니다.",
    "serving_needs_extra": "PABAL_SERVING_URL이 있지만 Redis를 쓰는 패키지가 없습니다. pabal[broker]를 설치하거나 "
    "주소를 빼세요.",
    "bad_serving_address": "PABAL_SERVING_URL이 Redis 주소가 아닙니다. redis://host:port/0처럼 적고, TLS를 쓰면 "
    "rediss://로 적으세요.",
    "serving_off": "여기서는 광고 서버용으로 아무것도 쓰지 않습니다. PABAL_SERVING_URL에 Redis 주소를 넣고 다시 "
    "시작하세요.",
    "serving_overtaken": "그사이 더 새로운 내용이 쓰였습니다. 다시 읽어서 씁니다.",
    # G7: command line
    "cannot_read": "옮길 광고그룹이 있는 곳을 하나만 적으세요: 읽을 수 있는 CSV 파일, 또는 --table.",
    "event_refused": "지금 이 이벤트를 받을 수 없는 광고그룹이 있습니다. 이유는 옆에 있습니다. "
    "받을 수 있는 것은 받았습니다.",
    # G2, events from a broker
    "bad_event_data": "이벤트의 data에는 500자까지의 reason과 정수 expect_version만 쓸 수 있습니다. "
    "새 id로 다시 보내세요.",
    # G4: from calculated to stored
    "bad_flag": "이 플래그는 이렇게 정할 수 없습니다. 비율은 0~100이고, 새 광고그룹은 쓰거나 쓰지 않거나 "
    "둘 중 하나입니다.",
    "flag_not_found": "그런 플래그가 없거나 볼 권한이 없습니다.",
    "mismatch_not_found": "그런 불일치가 없거나 볼 권한이 없습니다.",
    "run_not_found": "그런 전환 작업이 없거나 볼 권한이 없습니다.",
    "run_busy": "지금 서버가 이 전환 작업을 하고 있습니다. 잠시 뒤 다시 해 보세요.",
    "wrong_run_state": "지금 상태에서는 할 수 없습니다. 계획된 것만 시작하고, 멈춘 것만 이어 하며, 시작한 것만 "
    "되돌립니다. 다시 확인하세요.",
    "bad_legacy_file": "예전 광고그룹으로 읽을 수 없습니다. UTF-8 CSV의 첫 줄에 열 이름을 적고, id, campaign, "
    "start_at, end_at은 꼭 있어야 합니다. 표도 같은 열을 씁니다. 위치와 까닭은 옆에 있습니다.",
    "no_legacy_table": "데이터베이스에 legacy_ad_groups 표가 없습니다. 예전 광고그룹을 그 표에 넣거나 CSV로 올리세요.",
}


class BadDayParts(Invalid, code="bad_day_parts"):
    """These hours cannot be kept. For each weekday name spans from 00:00 to 24:00, at least one in the week and none
    twice; one that ends before it begins ends on the next day."""


class AdGroupNotFound(NotFound, code="ad_group_not_found"):
    """There is no such ad group, or it is not yours to see."""


class CampaignNotFound(NotFound, code="campaign_not_found"):
    """There is no such campaign, or it is not yours to see."""


class InventoryNotFound(NotFound, code="inventory_not_found"):
    """There is no such inventory, or it is not yours to see."""


class InventoryCodeTaken(Conflict, code="inventory_code_taken"):
    """Another inventory has this code. Ad servers ask by it, so each has its own."""


class CreativeNotFound(NotFound, code="creative_not_found"):
    """This ad group has no such creative."""


class BadAdGroup(FieldsRefused, code="bad_ad_group"):
    """It cannot be saved as it is: it needs a name of up to 200 signs, and must end after it starts."""


class BadCampaign(FieldsRefused, code="bad_campaign"):
    """It cannot be saved as it is: it needs a name of up to 200 signs, and must end after it starts."""


class BadCreative(Invalid, code="bad_creative"):
    """A creative has a name of up to 200 signs and an address that begins with http:// or https://."""


class BadInventory(Invalid, code="bad_inventory"):
    """An inventory has a name, and a code of up to 64 letters, digits, dots, dashes and underscores."""


class AdGroupOver(Conflict, code="ad_group_over"):
    """It is expired or deleted: nothing about it changes any more. Make a new one."""


class AlreadyStarted(Conflict, code="already_started"):
    """It has started, so its start cannot be moved any more. Its end and its hours can."""


class SetupLocked(Conflict, code="setup_locked"):
    """It was approved with what it has. Creatives and inventory change only while it is a draft or ready; for others,
    make a new one."""


class AdGroupChanged(Conflict, code="ad_group_changed"):
    """Somebody changed it since you looked. Look again, then decide."""


class NoSuchDelayedEvent(NotFound, code="no_such_delayed_event"):
    """This ad group waits for no such event. It may have happened, or been moved, since you looked."""


class MustEnd(Conflict, code="must_end"):
    """An ad group must end: its expiry can be moved, but not taken out. Pause or delete it to stop it now."""


class CannotMoveThere(Invalid, code="cannot_move_there"):
    """A delayed event can be moved to a moment that is not past; a daily one by a week at most and not beyond the next
    boundary of its hours, and nothing happens by the day at or after its end."""


# the rest edge and the actions below it


class CampaignElsewhere(Conflict, code="campaign_elsewhere"):
    """An ad group stays with its organisation: choose a campaign of the same one, or make a new ad group there."""


# G3, serving
class ServingAway(Unavailable, code="serving_away"):
    """The Redis that ad servers read does not answer, or refuses. Check that it runs and that PABAL_SERVING_URL is its
    address; what was to be written is written when it is back."""


class ServingNeedsExtra(Unavailable, code="serving_needs_extra"):
    """PABAL_SERVING_URL is set, but what talks to Redis is not installed. Install pabal[broker], or take the address
    out."""


class BadServingAddress(Invalid, code="bad_serving_address"):
    """PABAL_SERVING_URL is no address of a Redis. Write it as redis://host:port/0, or rediss:// for one with TLS."""


class ServingOff(Conflict, code="serving_off"):
    """Nothing is written for ad servers here. Set PABAL_SERVING_URL to the address of their Redis and start again."""


class ServingOvertaken(Conflict, code="serving_overtaken"):
    """Something newer was written for ad servers meanwhile. It is read and written again."""

    def __init__(self, later: int, own: int) -> None:
        super().__init__(f"{own}, and {later} is there")
        self.later = later


# G7: command line
class EventRefused(Conflict, code="event_refused"):
    """An ad group cannot take this event now. Beside it stands why; those that can take it did."""


class CannotRead(Invalid, code="cannot_read"):
    """Name one source of old ad groups: a CSV file that can be read, or --table."""


# G2, events from a broker
class BadEventData(Invalid, code="bad_event_data"):
    """An event's data may hold a reason of up to 500 signs and expect_version, a whole number. Send it again under a
    new id."""


# G4: from calculated to stored
class BadFlag(Invalid, code="bad_flag"):
    """This flag cannot be set so. Of a hundred 0 to 100 can use the stored state; new ones do or do not."""


class FlagNotFound(NotFound, code="flag_not_found"):
    """No such flag is set, or it is not yours to see."""


class MismatchNotFound(NotFound, code="mismatch_not_found"):
    """There is no such difference, or it is not yours to see."""


class RunNotFound(NotFound, code="run_not_found"):
    """There is no such migration, or it is not yours to see."""


class RunBusy(Conflict, code="run_busy"):
    """A server is working on this migration right now. Try again in a moment."""


class WrongRunState(Conflict, code="wrong_run_state"):
    """This migration is not where that can be done: only what is planned starts, only what stands still goes on, and
    only what was begun is taken back. Look at it again."""


class BadLegacyFile(Invalid, code="bad_legacy_file"):
    """This is not read as old ad groups. A CSV is in UTF-8, its first line names the columns, and it has at least id,
    campaign, start_at and end_at; a table has the same columns. The place and the reason stand beside it."""


class NoLegacyTable(NotFound, code="no_legacy_table"):
    """The database has no table legacy_ad_groups. Put the old ad groups there, or upload them as a CSV."""
