"""Who and what is in the demo, as values. Moments are days from now, hours of the day are hours from now: whenever
somebody starts a demo, there is one ad group in each state."""

from dataclasses import dataclass

from pabal.apps.adgroups.model.adgroups import CampaignState, Event
from pabal.engine.recurrence import Weekday

# nobody's screens: the codes say so
INVENTORY = {
    "demo.main-banner": ("메인 배너", "부산총판"),
    "demo.side-banner": ("사이드 배너", "부산총판"),
    "demo.haeundae-window": ("해운대점 쇼윈도", "해운대점"),
    "demo.seoul-lobby": ("서울 로비 화면", "서울총판"),
}
APPROVER = "demo-hq"


@dataclass(frozen=True)
class Plan:
    """A campaign: whose, who makes its ad groups, from when to when in days from now."""

    name: str
    unit: str
    maker: str
    since: float
    until: float | None
    state: CampaignState = CampaignState.OPEN
    inventory: tuple[str, ...] = ()


SALE = Plan("가을 정기 세일", "부산총판", "demo-busan", -30, 30, inventory=("demo.main-banner", "demo.side-banner"))
SHOP = Plan("해운대점 단골 행사", "해운대점", "demo-haeundae", -20, None, inventory=("demo.haeundae-window",))
LAUNCH = Plan("겨울 신제품", "서울총판", "demo-hq", -2, 60, CampaignState.PLANNED, inventory=("demo.seoul-lobby",))
CAMPAIGNS = (SALE, SHOP, LAUNCH)


@dataclass(frozen=True)
class Hours:
    """From hour to hour, counted from the hour it is now; on some days, or on all."""

    since: int
    until: int
    days: tuple[Weekday, ...] = tuple(Weekday)


@dataclass(frozen=True)
class Said:
    """An event somebody sent, so many days from now; by whoever made it, or by who approves."""

    event: Event
    at: float
    reason: str | None = None


@dataclass(frozen=True)
class Life:
    """An ad group: made at `made`, then what people said to it; between that it lives by its timers."""

    name: str
    campaign: Plan
    made: float
    since: float
    until: float
    said: tuple[Said, ...] = ()
    hours: tuple[Hours, ...] = ()
    creatives: int = 1


def _approved(made: float) -> tuple[Said, ...]:
    return Said(Event.COMPLETE_SETUP, made + 0.05), Said(Event.APPROVE, made + 0.2)


_WORKDAYS, _WEEKEND = tuple(Weekday)[:5], tuple(Weekday)[5:]
# the machine and the old calculator see these two differently
NEVER_APPROVED, STOPPED = "승인을 놓친 배너", "가격 오류로 멈춘 배너"
LIVES = (
    Life("새 시즌 배너", LAUNCH, -0.5, 3, 40, creatives=0),
    Life(
        "반려된 로고 배너",
        SALE,
        -6,
        2,
        20,
        (
            Said(Event.COMPLETE_SETUP, -5.5),
            Said(Event.REJECT, -5.2, "로고가 예전 것입니다. 새 로고로 바꿔 주세요."),
        ),
    ),
    Life("주말 특가 배너", SALE, -1, 1.5, 12, (Said(Event.COMPLETE_SETUP, -0.8),), creatives=2),
    Life(NEVER_APPROVED, SHOP, -4, -1, 10, (Said(Event.COMPLETE_SETUP, -3.5),)),
    Life("출시 예고 영상", LAUNCH, -2, 2, 30, _approved(-2), (Hours(1, 7),)),
    Life("잠시 뒤 시작하는 배너", SHOP, -1, 2 / 1440, 5, _approved(-1)),
    Life("세일 메인 배너", SALE, -16, -14, 14, _approved(-16), creatives=3),
    Life(
        "평일 낮 배너",
        SALE,
        -9,
        -7,
        21,
        _approved(-9),
        (Hours(-3, 5, _WORKDAYS), Hours(-3, 3, _WEEKEND)),
        creatives=2,
    ),
    Life("저녁 창가 광고", SHOP, -8, -6, 15, _approved(-8), (Hours(3, 9),)),
    Life(
        STOPPED,
        SALE,
        -5,
        -4,
        9,
        (*_approved(-5), Said(Event.PAUSE, -0.3, "가격이 잘못 적혀 있습니다. 고칠 때까지 멈춥니다.")),
    ),
    Life(
        "하루 쉬었다 간 배너",
        SALE,
        -13,
        -11,
        8,
        (
            *_approved(-13),
            Said(Event.PAUSE, -6, "재고가 떨어졌습니다."),
            Said(Event.RESUME, -5, "재고가 들어왔습니다."),
        ),
    ),
    Life("지난달 마감 배너", SALE, -25, -22, -1.5, _approved(-25), (Hours(-4, 4),)),
    Life(
        "잘못 만든 배너",
        SHOP,
        -3,
        1,
        10,
        (Said(Event.COMPLETE_SETUP, -2.9), Said(Event.DELETE, -2.5, "다른 캠페인에 만들 것을 잘못 만들었습니다.")),
    ),
)
