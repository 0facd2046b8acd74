"""What an operator may change at run time about recall: whether cases are also found by what they mean, and by whom."""

from typing import Any

from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Choice, Setting

_RECALL: Pair = ("Rules: memory", "룰: 기억한 사례")

EMBEDDING = Setting(
    key="rules.embedding",
    default="none",
    choices=(
        Choice("none", ("By words alone", "낱말로만")),
        Choice("api", ("Also by meaning, API", "뜻으로도(API)")),
        Choice("offline", ("Also by meaning, built in (for practice)", "뜻으로도(내장, 연습용)")),
    ),
    label=("How cases are found", "사례를 찾는 방법"),
    help=(
        "By meaning needs the extension `vector` in the database. The API's address is PABAL_RULES_EMBEDDING_URL when "
        "the server starts; requests of cases are sent there, without secrets. What is built in is no model: it knows "
        "a short list of words that mean the same.",
        "뜻으로 찾으려면 데이터베이스에 vector 확장이 필요합니다. API 주소는 서버를 시작할 때 "
        "PABAL_RULES_EMBEDDING_URL로 정하며, 사례의 요청을 비밀 값을 빼고 그곳에 보냅니다. 내장된 것은 모델이 "
        "아니라 짧은 유의어 목록입니다.",
    ),
    group=_RECALL,
    requirement="D-42",
)
EMBEDDING_MODEL = Setting(
    key="rules.embedding_model",
    default="text-embedding-3-small",
    label=("Model of meanings", "뜻을 읽는 모델"),
    help=(
        "As the API names it. With another model all cases are sent again.",
        "API가 부르는 이름입니다. 바꾸면 모든 사례를 다시 보냅니다.",
    ),
    group=_RECALL,
    requirement="D-42",
)
LEAST_LIKENESS = Setting(
    key="rules.embedding_least",
    default=0.5,
    least=0.0,
    most=1.0,
    label=("Likeness that counts as the same meaning", "같은 뜻으로 볼 비슷한 정도"),
    help=(
        "From 0 to 1, by the cosine of two vectors. Models differ: some give unrelated texts 0.7.",
        "0에서 1까지이며 두 벡터의 코사인입니다. 모델마다 달라서, 관계없는 글에 0.7을 주는 모델도 있습니다.",
    ),
    group=_RECALL,
    requirement="D-42",
)
ALL: tuple[Setting[Any], ...] = (EMBEDDING, EMBEDDING_MODEL, LEAST_LIKENESS)
