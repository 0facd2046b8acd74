"""Why a run failed, in both languages: what is kept is English, with the facts of the case behind the sentence."""

from functools import cache

from pabal.apps.rules.running import NO_FOLDER, NOT_ALLOWED, SAID_NO, SCRIPTS_OFF, STOPPED
from pabal.apps.rules.scripts import REASONS
from pabal.apps.rules.skills import errors as skill_errors
from pabal.apps.rules.sources import errors as source_errors
from pabal.base.errors import PabalError
from pabal.platform.language import errors
from pabal.platform.language.pairs import Pair

LINE = 200
CANCELLED: Pair = ("Cancelled before it ended.", "끝나기 전에 취소했습니다.")
INTERRUPTED: Pair = ("Its server stopped while it ran, several times.", "실행 중에 서버가 여러 번 멈췄습니다.")
TOO_LONG: Pair = ("Stopped: it took longer than its time limit.", "제한 시간을 넘겨 멈췄습니다.")
_OWN: tuple[Pair, ...] = (
    CANCELLED,
    INTERRUPTED,
    TOO_LONG,
    (SCRIPTS_OFF, "이 서버에는 스크립트 저장소가 설정되어 있지 않습니다."),
    (SAID_NO, "스크립트가 실패했다고 알렸습니다."),
    (NOT_ALLOWED, "이 서버에서 스크립트에 허용하지 않은 권한을 룰이 요구합니다."),
    (STOPPED, "차례가 오기 전에 취소했습니다."),
    (NO_FOLDER, "스크립트에 허용한 폴더가 없습니다."),
)


def tell_failure(summary: str) -> Pair:
    """As it was kept, and its sentence in Korean where it is one of ours; facts stay as they are."""
    for english, korean in _list_sentences():
        if summary.startswith(english):
            return summary, korean + summary.removeprefix(english)
    return summary, summary


def tell_briefly(reason: Pair, summary: str) -> Pair:
    """In one line: which kind of failure it was, and what was kept of it."""
    english, korean = tell_failure(summary)
    return f"{reason[0]}. {english}"[:LINE], f"{reason[1]}. {korean}"[:LINE]


def tell_problem(code: str, problem: str) -> Pair:
    """Why a callback could not be carried out."""
    return problem, errors.korean().get(code, problem)


@cache
def _list_sentences() -> tuple[Pair, ...]:
    explained = [_explain(room.KO, one) for room in (source_errors, skill_errors) for one in vars(room).values()]
    return (*_OWN, *REASONS.values(), *(pair for pair in explained if pair is not None))


def _explain(korean: dict[str, str], found: object) -> Pair | None:
    if not isinstance(found, type) or not issubclass(found, PabalError) or found.code not in korean:
        return None
    return " ".join((found.__doc__ or "").split()), korean[found.code]
