"""How reading a source fails, in words for the rule's owner."""

from pabal.base.errors import Invalid, NotFound, Unavailable


class SourceNotFound(NotFound, code="source_not_found"):
    """There is no data source of this name. The sources page lists those this server has."""


class SymbolUnknown(NotFound, code="symbol_unknown"):
    """The data source knows no such symbol. Check its spelling, with the exchange behind a dot, such as 005930.KS."""


class BadSourceParams(Invalid, code="bad_source_params"):
    """What the source was asked for is incomplete or cannot be right."""


class SourceUnavailable(Unavailable, code="source_unavailable"):
    """The data source did not answer as it should. The rule's next run asks again."""


class SourceTooSlow(SourceUnavailable, code="source_too_slow"):
    """The data source did not answer in time. The rule's next run asks again."""


class SourceNotInstalled(SourceUnavailable, code="source_not_installed"):
    """This data source needs a package that is not installed on this server. Install it, or choose another source."""


class SourceUnreadable(SourceUnavailable, code="source_answer_unreadable"):
    """The data source answered with something other than what it promises."""


class SourcesBroken(Invalid, code="sources_broken"):
    """A module of PABAL_RULES_SOURCES gives no data sources: it is named as module:NAME, where NAME is a list of them,
    each with a name of its own."""


KO = {
    "source_not_found": "이런 이름의 데이터 소스가 없습니다. 데이터 소스 화면에서 이 서버가 가진 것을 확인하세요.",
    "symbol_unknown": "데이터 소스가 모르는 종목입니다. 005930.KS처럼 점 뒤의 거래소까지 철자를 확인하세요.",
    "bad_source_params": "데이터 소스에 건넨 값이 빠졌거나 맞지 않습니다.",
    "source_unavailable": "데이터 소스가 제대로 응답하지 않았습니다. 룰이 다음에 실행될 때 다시 묻습니다.",
    "source_too_slow": "데이터 소스가 제시간에 응답하지 않았습니다. 룰이 다음에 실행될 때 다시 묻습니다.",
    "source_not_installed": "이 데이터 소스에 필요한 패키지가 서버에 없습니다. 설치하거나 다른 소스를 고르세요.",
    "source_answer_unreadable": "데이터 소스가 약속과 다른 내용을 보냈습니다.",
    "sources_broken": (
        "PABAL_RULES_SOURCES에 적은 모듈에 데이터 소스가 없습니다. module:NAME 꼴로 적고, NAME은 저마다 이름이 다른 "
        "데이터 소스의 목록이어야 합니다."
    ),
}
