"""A pair is (English, Korean). English may hold both numbers of a word: `{n} job|{n} jobs`."""

from typing import Any, Literal

Lang = Literal["en", "ko"]
Pair = tuple[str, str]
LANGS: tuple[Lang, ...] = ("ko", "en")


def put(lang: Lang, pair: Pair, **values: Any) -> str:
    """The sentence in this language. `n` chooses between one and many where English tells them apart."""
    said = pair[1] if lang == "ko" else pair[0]
    if lang == "en" and "|" in said and "n" in values:
        one, many = said.split("|", 1)
        said = one if values["n"] == 1 else many
    return said.format(**values) if values else said


def choose_language(accepts: str | None) -> Lang:
    """The first of ours that an Accept-Language header names, by its weights; Korean when it names none."""
    weighed = [
        (-weight, place, lang)
        for place, part in enumerate((accepts or "").split(",")[:20])
        for lang in LANGS
        if (weight := _weight(part, lang)) > 0
    ]
    return min(weighed)[2] if weighed else "ko"


def _weight(part: str, lang: Lang) -> float:
    name, _, rest = part.strip().partition(";")
    if name.lower().split("-")[0] != lang:
        return 0.0
    key, _, value = rest.strip().partition("=")
    if key.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
