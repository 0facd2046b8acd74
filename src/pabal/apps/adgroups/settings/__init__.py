"""What an operator may change at run time: every number the seed states, with its default."""

from pabal.apps.adgroups.settings.life import LATE_AFTER, ONE_TRANSACTION_ROWS, STRICT_MATRIX, TOLD
from pabal.apps.adgroups.settings.serving import CHECK_EVERY
from pabal.apps.adgroups.settings.shadow import COMPARE, COMPARE_EVERY

ALL = (STRICT_MATRIX, TOLD, LATE_AFTER, ONE_TRANSACTION_ROWS, CHECK_EVERY, COMPARE, COMPARE_EVERY)

__all__ = [
    "ALL",
    "CHECK_EVERY",
    "COMPARE",
    "COMPARE_EVERY",
    "LATE_AFTER",
    "ONE_TRANSACTION_ROWS",
    "STRICT_MATRIX",
    "TOLD",
]
