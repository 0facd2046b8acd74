"""Who and what is in the demo, as values."""

from dataclasses import dataclass
from datetime import time

from pabal.apps.messaging.model.content import SendOrder
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.engine.recurrence import Weekday

# nobody's phone: the ids say so
BOTS = {"파발-부산": "부산총판", "파발-서울": "서울총판", "파발-경남": "경남대리점"}
AWAY = "파발-경남"
# a phone that asks to be let in
STRANGER = "파발-대구"


@dataclass(frozen=True, slots=True)
class Place:
    channel_id: str
    name: str
    unit: str
    bot: str
    is_test: bool = False


ROOMS = (
    Place("demo-180001", "해운대 단골방", "해운대점", "파발-부산"),
    Place("demo-180002", "남포 공지방", "남포점", "파발-부산"),
    Place("demo-180003", "부산 점주방", "부산총판", "파발-부산"),
    Place("demo-180004", "부산 시험방", "부산총판", "파발-부산", is_test=True),
    Place("demo-180005", "역삼 단골방", "역삼점", "파발-서울"),
    Place("demo-180006", "삼성 공지방", "삼성점", "파발-서울"),
    Place("demo-180007", "서울 시험방", "서울총판", "파발-서울", is_test=True),
    Place("demo-180008", "창원 단골방", "창원점", "파발-경남"),
)
# where a bot hears people talk, and nobody has claimed it
UNCLAIMED = Place("demo-180009", "새로 생긴 단골방", "", "파발-부산")


@dataclass(frozen=True, slots=True)
class Act:
    """`soon` seconds from now, once; otherwise at `at` on these days, or daily. `pictures` of each group."""

    title: str
    room: str
    text: str | None = None
    soon: int | None = None
    at: time = time(9)
    days: tuple[Weekday, ...] = ()
    pictures: tuple[int, int] = (0, 0)
    order: SendOrder = SendOrder.TEXT_FIRST
    late: LatePolicy = LatePolicy.WINDOW
    is_active: bool = True
    is_broken: bool = False


_WEEK = (Weekday.MON, Weekday.TUE, Weekday.WED, Weekday.THU, Weekday.FRI)
WORDS = (
    Act("환영 인사", "해운대 단골방", "안녕하세요, 해운대점입니다 😊\n오늘도 좋은 하루 보내세요!", soon=25),
    Act(
        "잠시 뒤 공지",
        "부산 점주방",
        "[공지] 오늘 16시에 점주 회의가 있습니다.\n자료는 회의 10분 전에 올립니다.",
        soon=80,
    ),
    Act("아침 공지", "남포 공지방", "남포점 아침 공지입니다.\n영업 시간 09:00–21:00", at=time(9)),
    Act(
        "주간 마감 안내",
        "역삼 단골방",
        "이번 주 적립금은 금요일까지 쓸 수 있어요.",
        at=time(18, 30),
        days=(Weekday.FRI,),
    ),
    Act("평일 점심 안내", "삼성 공지방", "오늘의 점심 메뉴가 나왔습니다.", at=time(11, 20), days=_WEEK),
    Act("늦어도 보내는 공지", "부산 점주방", "정산 자료를 확인해 주세요.", at=time(17), late=LatePolicy.SEND_LATE),
    Act("쉬는 스케줄", "해운대 단골방", "여름 행사 안내입니다.", at=time(14), is_active=False),
    Act("봇이 없는 톡방", "창원 단골방", "창원점 저녁 안내입니다.", soon=50, late=LatePolicy.ASK),
    Act("멈춘 스케줄", "남포 공지방", "이 스케줄은 세 번 실패해 멈췄습니다.", at=time(10), is_broken=True),
)
PICTURES = (
    Act("신상품 소식", "역삼 단골방", "이번 주 신상품입니다!", soon=110, pictures=(2, 1)),
    Act(
        "주말 행사 그림",
        "해운대 단골방",
        "주말 행사 안내",
        at=time(10),
        days=(Weekday.SAT, Weekday.SUN),
        pictures=(3, 0),
        order=SendOrder.IMAGES_FIRST,
    ),
    Act(
        "매장 사진", "삼성 공지방", None, at=time(15), days=(Weekday.WED,), pictures=(1, 2), order=SendOrder.IMAGES_ONLY
    ),
)
TEMPLATES = {
    "아침 인사": "안녕하세요, 저희 매장이 아침 인사드립니다.",
    "행사 안내": "[행사] 기간: \n내용: \n많은 관심 부탁드립니다!",
}
