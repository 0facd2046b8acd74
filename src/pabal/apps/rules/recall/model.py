"""A case: a request and an answer that was good. Pairs of syllables, how rare they are, why one was chosen."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

AREA = "rules"
ABOUT = "recall_case"
LONGEST_REQUEST = 2000
LONGEST_ANSWER = 20_000
# how many cases are looked at closely, whatever the request is
MOST_CANDIDATES = 1000
NEAREST = 5
# how many of the most alike are looked at; of the pinned among them, all go first
MOST_ALIKE = 20
# Below this a case has too little of the request to teach anything.
LEAST_SCORE = 0.2
_WORD = re.compile(r"[^\W_]+")
_HALF = 0xFFFF
# columns are signed
_OFFSET = 1 << 31


class Standing(StrEnum):
    """What people decided about a case: `pinned` goes first whenever it is near at all, `banned` is never used."""

    NORMAL = "normal"
    PINNED = "pinned"
    BANNED = "banned"


class CaseKind(StrEnum):
    """What its answer is: the files of a script, or the YAML of a workflow."""

    SCRIPT = "script"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Case:
    """`answer` is what a language model shall learn from: the files of a script, or a workflow."""

    id: int
    unit_id: int
    kind: str
    request: str
    answer: str
    standing: str
    # the plan it came of, and how its runs ended since the first good one
    plan_id: int | None
    succeeded: int
    failed: int
    last_run_at: datetime | None
    created_at: datetime
    created_by: str

    @property
    def trust(self) -> float:
        """What its runs leave of a score, from 0 to 1: nothing is lost as long as none failed."""
        return (self.succeeded + 1) / (self.succeeded + self.failed + 1)


class Why(StrEnum):
    """Why a case was chosen."""

    WORDS = "words"
    MEANING = "meaning"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A text as a model of meanings has it; only those of the same model can be compared."""

    model: str
    numbers: tuple[float, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Recalled:
    """`score` is from 0 to 1: how much of the request it has, by rarity, and of the rest, how alike the two mean; less
    where its runs failed. `words` are those of the request it shares."""

    case: Case
    score: float
    words: tuple[str, ...]
    why: tuple[Why, ...] = (Why.WORDS,)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request as the database looks for it: its pairs with their weights; `known` are those that some case has,
    `rarest` those of them that choose the candidates."""

    grams: tuple[int, ...]
    weights: tuple[float, ...]
    known: tuple[int, ...]
    rarest: tuple[int, ...]

    @property
    def weight(self) -> float:
        return sum(self.weights)


def split_words(text: str) -> list[str]:
    """In small letters and one form of writing; each once, in the order of the text."""
    return list(dict.fromkeys(_WORD.findall(unicodedata.normalize("NFKC", text).casefold())))


def list_grams(text: str) -> list[int]:
    """Each pair of neighbours within a word as one number. Words may change their places without changing a pair."""
    return sorted({gram for word in split_words(text) for gram in _grams_of(word)})


def want(grams: Sequence[int], counts: Mapping[int, int], most: int = MOST_CANDIDATES) -> Wanted:
    """`counts` says in how many cases a pair occurs. The rarest choose the candidates, as many as `most` cases bear."""
    weights = tuple(weigh(counts.get(gram, 0)) for gram in grams)
    known = sorted((counts[gram], gram) for gram in grams if counts.get(gram, 0) > 0)
    rarest: list[int] = []
    reached = 0
    for count, gram in known:
        reached += count
        if rarest and reached > most:
            break
        rarest.append(gram)
    return Wanted(tuple(grams), weights, tuple(gram for _, gram in known), tuple(rarest))


def weigh_words(wanted: Wanted, request: str) -> float:
    """What another request has of this one, from 0 to 1, as the database weighs it."""
    there = set(list_grams(request))
    shared = sum(weight for gram, weight in zip(wanted.grams, wanted.weights, strict=True) if gram in there)
    return shared / wanted.weight if wanted.weight else 0.0


def weigh(cases: int) -> float:
    """A pair that nobody else has tells most; one that everybody has, nearly nothing."""
    return 1.0 / (1.0 + math.log(max(cases, 1)))


def recall(case: Case, request: str, *, words: float, likeness: float) -> Recalled:
    """What one way misses the other may have: a case that both choose comes before one that either chooses as well."""
    why = [Why.MEANING] if likeness > 0 else []
    if words >= LEAST_SCORE or not why:
        why.insert(0, Why.WORDS)
    score = 1 - (1 - min(words, 1.0)) * (1 - min(likeness, 1.0))
    return Recalled(case, score * case.trust, share_words(request, case.request), tuple(why))


def share_words(request: str, other: str) -> tuple[str, ...]:
    """Words of the request whose every pair stands in the other text: `뉴스` in `뉴스를`, too."""
    there = set(list_grams(other))
    return tuple(word for word in split_words(request) if there.issuperset(_grams_of(word)))


def _grams_of(word: str) -> list[int]:
    """A word of one letter is a pair with nothing before it."""
    if len(word) == 1:
        return [_number("\0", word)]
    return [_number(first, second) for first, second in pairwise(word)]


def _number(first: str, second: str) -> int:
    # two letters above the basic plane may meet in one number: that makes a pair less rare, and nothing wrong
    return ((ord(first) & _HALF) << 16 | ord(second) & _HALF) - _OFFSET
