"""What a page says of something that was asked for there and did not happen."""

from dataclasses import dataclass

from pabal.base.errors import PabalError
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web.visit import Visit


@dataclass(frozen=True, slots=True)
class Fault:
    """`field` is where it was asked, `typed` what stood there."""

    what: Pair
    why: str
    code: str
    field: str = ""
    typed: str = ""


def tell_fault(visit: Visit, error: PabalError, what: Pair, *, field: str = "", typed: str = "") -> Fault:
    return Fault(what, explain(error, visit.lang), error.code, field, typed)
