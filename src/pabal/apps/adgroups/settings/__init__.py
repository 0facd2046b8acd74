"""What an operator may change at run time: every number the seed states, with its default."""

from pabal.apps.adgroups.settings.life import LATE_AFTER, ONE_TRANSACTION_ROWS, STRICT_MATRIX, TOLD

ALL = (STRICT_MATRIX, TOLD, LATE_AFTER, ONE_TRANSACTION_ROWS)

__all__ = ["ALL", "LATE_AFTER", "ONE_TRANSACTION_ROWS", "STRICT_MATRIX", "TOLD"]
