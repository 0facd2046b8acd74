"""What can go wrong with heartbeats, in words for those who must act on it."""

from pabal.base.errors import Invalid, NotFound, Unavailable


class HeartbeatNotFound(NotFound, code="heartbeat_not_found"):
    """There is no such heartbeat, or it is not yours to see."""


class BadHeartbeat(Invalid, code="bad_heartbeat"):
    """A heartbeat has a name of 1 to 100 characters; either a cron expression or an interval from 1 minute to 365 days;
    and a grace time from 1 minute to 30 days."""


class ReportNotKept(Unavailable, code="report_not_kept"):
    """The report could not be kept in time. Send it again."""


KO = {
    "report_not_kept": "보고를 제시간에 저장하지 못했습니다. 다시 보내 주세요.",
    "heartbeat_not_found": "이런 하트비트가 없거나 볼 수 없습니다.",
    "bad_heartbeat": (
        "하트비트에는 1~100자의 이름, cron 식이나 1분~365일의 간격 중 하나, 1분~30일의 유예 시간이 필요합니다."
    ),
}
