"""Two languages, English and Korean: every sentence is a pair, so neither can be forgotten."""

from pabal.platform.language.pairs import Lang, Pair, choose_language, put

__all__ = ["Lang", "Pair", "choose_language", "put"]
