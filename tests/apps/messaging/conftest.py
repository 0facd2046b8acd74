"""Every test below has a database with messaging's tables."""

from tests.support.messaging import template

__all__ = ["template"]
