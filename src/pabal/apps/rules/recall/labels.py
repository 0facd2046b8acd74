"""What people read for cases and what was done with them."""

from pabal.platform.language.pairs import Pair
from pabal.platform.language.status import Status, Words

STATUS: Words = {
    "recall_case": {
        "normal": Status("wait", ("used when near", "가까우면 참고")),
        "pinned": Status("good", ("pinned", "고정됨")),
        "banned": Status("end", ("never used", "쓰지 않음")),
    }
}
ACTIONS: dict[str, Pair] = {
    "case_teach": ("taught a case", "사례 등록"),
    "case_pin": ("pinned a case", "사례 고정"),
    "case_ban": ("banned a case", "사례 쓰지 않기"),
    "case_reset": ("let a case be used as others are", "사례 고정·제외 해제"),
    "case_forget": ("forgot a case", "사례 삭제"),
}
