"""What an operator may change at run time about sources and language models: which, at what price, how often."""

from typing import Any

from pabal.apps.rules.sources.errors import SourceNotFound
from pabal.apps.rules.sources.model import NAME
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Choice, Setting

_SOURCES: Pair = ("Rules: data sources", "룰: 데이터 소스")
_MODELS: Pair = ("Rules: language models", "룰: 언어 모델")
_DOLLARS: Pair = ("$", "$")


def _check_name(value: str) -> None:
    if NAME.fullmatch(value) is None:
        raise SourceNotFound(value[:100])


QUOTE_SOURCE = Setting(
    key="rules.quote_source",
    default="yfinance",
    label=("Source of quotes", "시세 데이터 소스"),
    help=(
        "Who answers when a rule reads a quote: yfinance, offline_quote (made up), or a source of your own. All rules "
        "follow at once.",
        "룰이 시세를 읽을 때 물어볼 곳입니다. yfinance, offline_quote(연습용), 직접 만든 소스 중에서 고릅니다. "
        "바꾸면 모든 룰에 바로 적용됩니다.",
    ),
    group=_SOURCES,
    requirement="D-97",
    check=_check_name,
)
SEARCH = Setting(
    key="rules.search",
    default="feeds",
    choices=(Choice("feeds", ("RSS and Atom feeds", "RSS·Atom 피드")), Choice("offline", ("Made up", "연습용"))),
    label=("Where articles are searched", "기사를 찾는 곳"),
    help=("Made up articles need no network.", "연습용 기사는 인터넷 없이 만들어집니다."),
    group=_SOURCES,
    requirement="D-05",
)
FEEDS = Setting(
    key="rules.feeds",
    default="",
    label=("Feeds that are searched", "기사를 찾을 피드"),
    help=(
        "Addresses of RSS and Atom feeds, separated by commas: for workflows that search articles and name none.",
        "RSS·Atom 피드 주소를 쉼표로 나누어 적습니다. 기사를 찾는 워크플로우에 피드가 없을 때 씁니다.",
    ),
    group=_SOURCES,
    requirement="D-05",
)
LLM = Setting(
    key="rules.llm",
    default="offline",
    choices=(
        Choice("offline", ("Built in (picks sentences)", "내장(문장 고르기)")),
        Choice("gemini", ("Gemini CLI", "Gemini CLI")),
        Choice("command", ("Program of this server", "서버에 설정한 프로그램")),
        Choice("api", ("API (pydantic-ai)", "API(pydantic-ai)")),
    ),
    label=("How a language model is asked", "언어 모델을 부르는 방법"),
    help=(
        "The program itself is named by PABAL_RULES_LLM_COMMAND when the server starts.",
        "프로그램은 서버를 시작할 때 PABAL_RULES_LLM_COMMAND로 정합니다.",
    ),
    group=_MODELS,
    requirement="D-09",
)
GENERATING_MODEL = Setting(
    key="rules.generating_model",
    default="gemini-2.5-pro",
    label=("Model that writes rules", "룰을 만드는 모델"),
    help=(
        "A strong one: it is asked seldom, when a rule or a plan is drafted.",
        "성능이 좋은 모델을 고르세요. 룰이나 계획의 초안을 만들 때만 가끔 부릅니다.",
    ),
    group=_MODELS,
    seed="Gemini",
    requirement="D-85",
)
RUNNING_MODEL = Setting(
    key="rules.running_model",
    default="gemini-2.5-flash-lite",
    label=("Model that runs in rules", "룰을 실행하는 모델"),
    help=(
        "A cheap one or one of your own: it is asked at every run that summarises.",
        "저렴한 모델이나 직접 돌리는 모델을 고르세요. 요약하는 룰이 실행될 때마다 부릅니다.",
    ),
    group=_MODELS,
    requirement="D-85",
)
CALLS_PER_DAY = Setting(
    key="rules.llm_calls_per_day",
    default=200,
    least=1,
    most=100_000,
    label=("Calls of a language model a day", "하루 언어 모델 호출 수"),
    help=(
        "Within any 24 hours; what comes after waits. Keep it below the free quota of your model.",
        "24시간 동안의 상한이며, 넘으면 기다립니다. 쓰는 모델의 무료 한도보다 낮게 두세요.",
    ),
    group=_MODELS,
    requirement="D-09",
)


def _price(key: str, label: Pair) -> Setting[float]:
    return Setting(
        key=f"rules.{key}",
        default=0.0,
        least=0.0,
        most=10_000.0,
        label=label,
        help=("In US dollars for a million tokens. 0: free.", "토큰 100만 개당 미국 달러입니다. 0이면 무료입니다."),
        group=_MODELS,
        unit=_DOLLARS,
    )


GENERATING_PRICE = (
    _price("generating_price_in", ("Writing rules: price of what is asked", "룰 만들기: 입력 가격")),
    _price("generating_price_out", ("Writing rules: price of answers", "룰 만들기: 출력 가격")),
)
RUNNING_PRICE = (
    _price("running_price_in", ("Running rules: price of what is asked", "룰 실행: 입력 가격")),
    _price("running_price_out", ("Running rules: price of answers", "룰 실행: 출력 가격")),
)
ALL: tuple[Setting[Any], ...] = (
    QUOTE_SOURCE,
    SEARCH,
    FEEDS,
    LLM,
    GENERATING_MODEL,
    RUNNING_MODEL,
    CALLS_PER_DAY,
    *GENERATING_PRICE,
    *RUNNING_PRICE,
)
