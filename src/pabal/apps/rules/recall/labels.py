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
WHY: dict[str, Pair] = {
    "words": ("shares words", "같은 낱말"),
    "meaning": ("means the same", "같은 뜻"),
}
# why cases are found by words alone although a model of meanings is wanted
PROBLEMS: dict[str, Pair] = {
    "no_address": (
        "PABAL_RULES_EMBEDDING_URL was not set when the server started.",
        "서버를 시작할 때 PABAL_RULES_EMBEDDING_URL을 정하지 않았습니다.",
    ),
    "no_extension": (
        "This PostgreSQL has no extension `vector` (pgvector). Install it, and it is used by itself.",
        "이 PostgreSQL에는 vector 확장(pgvector)이 없습니다. 설치하면 저절로 씁니다.",
    ),
    "extension_refused": (
        "The extension `vector` is installed, but the user of this database may not create it. Let an administrator "
        "of the database run: create extension vector",
        "vector 확장이 설치되어 있지만 이 데이터베이스 사용자는 만들 수 없습니다. 데이터베이스 관리자가 "
        "create extension vector를 실행해야 합니다.",
    ),
    "not_filled": (
        "The vectors of cases are being made.",
        "사례의 벡터를 만들고 있습니다.",
    ),
    "no_answer": ("The model of meanings did not answer.", "뜻을 읽는 모델이 응답하지 않았습니다."),
}


def say_problem(problem: str) -> Pair:
    """Its code, and behind it what somebody else said."""
    code, _, detail = problem.partition(": ")
    english, korean = PROBLEMS.get(code, PROBLEMS["no_answer"])
    return (f"{english} ({detail})", f"{korean} ({detail})") if detail else (english, korean)
