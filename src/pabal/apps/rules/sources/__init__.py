"""Data sources of rules: a small interface, a registry by name, and the sources every server has."""

from pabal.apps.rules.sources.errors import KO
from pabal.apps.rules.sources.model import Field, Source
from pabal.apps.rules.sources.registry import QUOTE, Sources, make_sources

__all__ = ["KO", "QUOTE", "Field", "Source", "Sources", "make_sources"]
