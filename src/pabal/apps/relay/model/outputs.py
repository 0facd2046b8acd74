"""What an instance answers, within Kakao's limits: checked, shortened where that is harmless, spread over the bubbles
that one answer may have. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pabal.apps.relay.model.skill import Skill, clean, clean_all, simple_text
from pabal.platform.findings import Finding

MOST_OUTPUTS = 3
MOST_QUICK_REPLIES = 10
LONGEST_TEXT = 1000
LONGEST_LABEL = 14
# What late answers may take of one answer's bubbles while there is a fresh one.
MOST_LATE = 2

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。…])\s"), re.compile(r"\s"))
_CAROUSEL = ("textCard", "basicCard", "commerceCard", "listCard", "itemCard")


@dataclass(frozen=True, slots=True)
class Card:
    """Limits of one component: of texts by their path, and of lists. In a carousel some are smaller."""

    texts: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)
    together: int = 0
    needs: tuple[str, ...] = ()
    needs_one_of: tuple[str, ...] = ()
    not_both: tuple[str, ...] = ()
    in_carousel: dict[str, int] = field(default_factory=dict)


CARDS = {
    "simpleImage": Card({"altText": 50}, needs=("imageUrl",)),
    "textCard": Card(
        {"title": 50, "description": 400},
        {"buttons": 3},
        together=400,
        needs_one_of=("title", "description"),
        in_carousel={"description": 128},
    ),
    "basicCard": Card({"title": 50, "description": 230}, {"buttons": 3}, needs=("thumbnail",)),
    "commerceCard": Card(
        {"title": 30, "description": 40}, {"buttons": 3, "thumbnails": 1}, needs=("price", "thumbnails")
    ),
    "listCard": Card(
        {"header.title": 50}, {"items": 5, "buttons": 2}, needs=("header", "items"), in_carousel={"items": 4}
    ),
    "itemCard": Card(
        {"title": 50, "description": 200},
        {"itemList": 10, "buttons": 3},
        together=200,
        needs=("itemList",),
        not_both=("head", "profile"),
        in_carousel={"itemList": 5},
    ),
}


@dataclass(frozen=True, slots=True)
class Bubbles:
    """What one reply says, within the limits of its parts. `notes` say what was shortened or left out."""

    outputs: tuple[Skill, ...]
    quick_replies: tuple[Skill, ...] = ()
    notes: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Unshowable:
    """It cannot be shown to anybody as it is."""

    findings: tuple[Finding, ...]


def text_of(answer: Bubbles) -> str:
    """All that can be read in it, without pictures and buttons."""
    return "\n".join(text for one in answer.outputs for text in _texts_of(one))


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _texts_of(one)
    elif isinstance(value, dict):
        yield from (value[name] for name in ("text", "title", "description") if isinstance(value.get(name), str))
        for name, one in value.items():
            if name not in ("buttons", "quickReplies"):
                yield from _texts_of(one)


def read_answer(response: object) -> Bubbles | Unshowable:
    """A skill response, or a plain text: instances send either."""
    if isinstance(response, str) or (isinstance(response, dict) and isinstance(response.get("text"), str)):
        text = response if isinstance(response, str) else response["text"]
        if not text.strip():
            return Unshowable((_finding("response", "answer_empty", "There is no text in it.", "글이 없습니다."),))
        return Bubbles((simple_text(clean(text)),))
    template = response.get("template") if isinstance(response, dict) else None
    outputs = template.get("outputs") if isinstance(template, dict) else None
    if not isinstance(template, dict) or not isinstance(outputs, list) or not outputs:
        told = (
            "A reply needs template.outputs with at least one output.",
            "template.outputs에 하나 이상이 필요합니다.",
        )
        return Unshowable((_finding("response.template.outputs", "outputs_missing", *told),))
    check = _Check()
    made = [check.output(one, f"response.template.outputs[{place}]") for place, one in enumerate(outputs)]
    quick = check.quick_replies(template.get("quickReplies"))
    if check.faults:
        return Unshowable(tuple(check.faults))
    return Bubbles(tuple(made), tuple(quick), tuple(check.notes))


@dataclass(frozen=True, slots=True)
class Composed:
    """What goes to Kakao, and what is left of the bubbles that were wanted. `has_more`: there is a button for that."""

    outputs: list[Skill]
    quick_replies: list[Skill]
    rest: list[Skill] = field(default_factory=list)
    has_more: bool = False

    @property
    def left_out(self) -> int:
        return len(self.rest)


def compose(fresh: Sequence[Bubbles], late: Sequence[Bubbles] = (), *, mark: str = "", more: str = "") -> Composed:
    """Late answers first, behind their mark; the fresh ones keep at least one bubble. `more` is on the button for what
    did not fit; empty: there is none."""
    room = MOST_LATE if fresh else MOST_OUTPUTS
    front = _fit(_marked([one for answer in late for one in answer.outputs], mark), room)
    wanted = [one for answer in fresh for one in answer.outputs]
    back = _fit(wanted, MOST_OUTPUTS - len(front.outputs))
    quick = [one for answer in (*fresh, *late) for one in answer.quick_replies][:MOST_QUICK_REPLIES]
    rest, has_more = [*front.rest, *back.rest], bool(more.strip()) and front.left_out + back.left_out > 0
    if has_more:
        quick = [*quick[: MOST_QUICK_REPLIES - 1], _button(more.strip())]
    return Composed([*front.outputs, *back.outputs], quick, rest, has_more)


def _button(text: str) -> Skill:
    """Who presses it says its text."""
    return {"label": shorten(text, LONGEST_LABEL), "action": "message", "messageText": text}


def _marked(outputs: list[Skill], mark: str) -> list[Skill]:
    """In the first bubble where that is a text, in one of its own otherwise."""
    if not outputs or not mark:
        return outputs
    if "simpleText" in outputs[0]:
        return [simple_text(f"{mark}\n\n{_text_of(outputs[0])}"), *outputs[1:]]
    return [simple_text(mark), *outputs]


def fit_count(outputs: Sequence[Skill], room: int = MOST_OUTPUTS) -> int:
    """How many of what was wanted would be left out."""
    return _fit(outputs, room).left_out


def _fit(outputs: Sequence[Skill], room: int) -> Composed:
    pieces = [piece for one in outputs for piece in _pieces(one)]
    while len(pieces) > room and (place := _closest_pair(pieces)) is not None:
        joined = f"{_text_of(pieces[place])}\n\n{_text_of(pieces[place + 1])}"
        pieces[place : place + 2] = [simple_text(joined)]
    return Composed(pieces[:room], [], pieces[room:])


def _closest_pair(pieces: Sequence[Skill]) -> int | None:
    """The two neighbouring texts that are shortest together and fit into one bubble."""
    sizes = {
        place: size(_text_of(first)) + size(_text_of(second)) + 2
        for place, (first, second) in enumerate(pairwise(pieces))
        if "simpleText" in first and "simpleText" in second
    }
    best = min(sizes, key=sizes.__getitem__, default=None)
    return best if best is not None and sizes[best] <= LONGEST_TEXT else None


def _pieces(output: Skill) -> list[Skill]:
    if "simpleText" not in output:
        return [output]
    return [simple_text(piece) for piece in split_text(_text_of(output))]


def _text_of(output: Skill) -> str:
    found: str = output["simpleText"]["text"]
    return found


def split_text(text: str, longest: int = LONGEST_TEXT) -> list[str]:
    """At the ends of paragraphs, lines, sentences or words, whichever comes late enough."""
    pieces, rest = [], text
    while size(rest) > longest:
        most = _prefix(rest, longest)
        at = _break_at(rest, most)
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [*pieces, rest] if rest else pieces


def _break_at(text: str, most: int) -> int:
    for pattern in _BREAKS:
        ends = [found.end() for found in pattern.finditer(text, 0, most)]
        if ends and ends[-1] > most // 2:
            return ends[-1]
    return most


def size(text: str) -> int:
    """As Kakao's own programs count: an emoji is two."""
    return len(text) + sum(1 for one in text if ord(one) > 0xFFFF)


def shorten(text: str, longest: int) -> str:
    return text if size(text) <= longest else text[: _prefix(text, longest - 1)].rstrip() + "…"


def _prefix(text: str, longest: int) -> int:
    counted = 0
    for place, one in enumerate(text):
        counted += 2 if ord(one) > 0xFFFF else 1
        if counted > longest:
            return place
    return len(text)


class _Check:
    """Walks what an instance sent. What is too long is shortened and noted; what is missing is a fault."""

    def __init__(self) -> None:
        self.faults: list[Finding] = []
        self.notes: list[Finding] = []

    def output(self, given: object, at: str) -> Skill:
        names = [name for name in given if given[name] is not None] if isinstance(given, dict) else []
        if not isinstance(given, dict) or len(names) != 1:
            self._fault(at, "output_unknown", "Each output is one component.", "출력마다 컴포넌트가 하나여야 합니다.")
            return {}
        [name] = names
        body = given[name]
        if name == "simpleText":
            return self._simple_text(body, at)
        if name == "carousel":
            return {"carousel": self._carousel(body, f"{at}.carousel")}
        if name not in CARDS:
            told = (f"Kakao has no component {name!r}.", f"카카오에 {name!r} 컴포넌트가 없습니다.")
            self._fault(at, "output_unknown", *told)
            return {}
        return {name: self._card(name, body, f"{at}.{name}")}

    def quick_replies(self, given: object) -> list[Skill]:
        if given is None:
            return []
        if not isinstance(given, list):
            self._wrong_type("response.template.quickReplies")
            return []
        if len(given) > MOST_QUICK_REPLIES:
            self._cut("response.template.quickReplies", len(given), MOST_QUICK_REPLIES)
        places = enumerate(given[:MOST_QUICK_REPLIES])
        return [self._labelled(one, f"response.template.quickReplies[{place}]") for place, one in places]

    def _simple_text(self, body: object, at: str) -> Skill:
        text = body.get("text") if isinstance(body, dict) else None
        if not isinstance(text, str) or not text.strip():
            self._fault(f"{at}.simpleText.text", "answer_empty", "There is no text in it.", "글이 없습니다.")
            return {}
        return simple_text(clean(text))

    def _carousel(self, body: object, at: str) -> Skill:
        kind, items = (body.get("type"), body.get("items")) if isinstance(body, dict) else (None, None)
        if not isinstance(body, dict) or kind not in _CAROUSEL or not isinstance(items, list) or not items:
            told = ("A carousel has a type and items.", "캐로셀에는 type과 items가 있어야 합니다.")
            self._fault(at, "carousel_incomplete", *told)
            return {}
        most = 5 if kind == "listCard" else 10
        if len(items) > most:
            self._cut(f"{at}.items", len(items), most)
        cards = [
            self._card(str(kind), one, f"{at}.items[{place}]", in_carousel=True)
            for place, one in enumerate(items[:most])
        ]
        return {**clean_all(body), "items": cards}

    def _card(self, name: str, body: object, at: str, *, in_carousel: bool = False) -> Skill:
        if not isinstance(body, dict):
            self._wrong_type(at)
            return {}
        rules = CARDS[name]
        made: Skill = clean_all(body)
        smaller = rules.in_carousel if in_carousel else {}
        for fault in _missing(name, rules, made):
            self._fault(
                f"{at}.{fault}", "part_missing", f"{name} needs {fault}.", f"{name}에는 {fault}이(가) 필요합니다."
            )
        for path, most in rules.texts.items():
            self._text(made, path, smaller.get(path, most), at)
        if rules.together:
            self._together(made, rules.together, at)
        for path, most in rules.lists.items():
            self._list(made, path, smaller.get(path, most), at)
        if isinstance(made.get("buttons"), list):
            made["buttons"] = [self._labelled(one, f"{at}.buttons[{i}]") for i, one in enumerate(made["buttons"])]
        return made

    def _text(self, made: Skill, path: str, most: int, at: str) -> None:
        *outer, name = path.split(".")
        holder: Any = made
        for part in outer:
            holder = holder.get(part) if isinstance(holder, dict) else None
        text = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(text, str) and size(text) > most:
            holder[name] = shorten(text, most)
            self._shortened(f"{at}.{path}", most)

    def _together(self, made: Skill, most: int, at: str) -> None:
        title, description = (made.get(name) if isinstance(made.get(name), str) else "" for name in _BOTH)
        if description and size(str(title)) + size(str(description)) > most:
            made["description"] = shorten(str(description), most - size(str(title)))
            self._shortened(f"{at}.description", most)

    def _list(self, made: Skill, path: str, most: int, at: str) -> None:
        found = made.get(path)
        if isinstance(found, list) and len(found) > most:
            made[path] = found[:most]
            self._cut(f"{at}.{path}", len(found), most)

    def _labelled(self, given: object, at: str) -> Skill:
        if not isinstance(given, dict) or not isinstance(given.get("label"), str):
            self._fault(f"{at}.label", "part_missing", "It needs a label.", "label이 필요합니다.")
            return {}
        made: Skill = clean_all(given)
        if size(made["label"]) > LONGEST_LABEL:
            made["label"] = shorten(made["label"], LONGEST_LABEL)
            self._shortened(f"{at}.label", LONGEST_LABEL)
        return made

    def _wrong_type(self, at: str) -> None:
        self._fault(at, "wrong_type", "This is of another type.", "형식이 맞지 않습니다.")

    def _fault(self, at: str, code: str, english: str, korean: str) -> None:
        self.faults.append(_finding(at, code, english, korean))

    def _shortened(self, at: str, most: int) -> None:
        told = (f"Kakao shows {most} characters at most; it was shortened.", f"{most}자까지여서 줄였습니다.")
        self.notes.append(_finding(at, "shortened", *told))

    def _cut(self, at: str, count: int, most: int) -> None:
        told = (f"{count} were given, Kakao takes {most}.", f"{count}개 가운데 {most}개만 보낼 수 있습니다.")
        self.notes.append(_finding(at, "left_out", *told))


_BOTH = ("title", "description")


def _missing(name: str, rules: Card, body: Skill) -> Iterator[str]:
    yield from (one for one in rules.needs if body.get(one) in (None, "", [], {}))
    if rules.needs_one_of and not any(body.get(one) for one in rules.needs_one_of):
        yield " or ".join(rules.needs_one_of)
    if rules.not_both and all(body.get(one) for one in rules.not_both):
        yield " or ".join(rules.not_both)
    if name == "commerceCard" and body.get("discountRate") is not None and body.get("discountedPrice") is None:
        yield "discountedPrice"


def left_out_note(count: int, more: str = "") -> Finding:
    """`more` is on the button that offers them."""
    told = (
        f"One answer has {MOST_OUTPUTS} bubbles; {count} did not fit and are not sent.",
        f"답 하나에는 말풍선이 {MOST_OUTPUTS}개까지입니다. {count}개는 보내지 못합니다.",
    )
    offered = (
        f"One answer has {MOST_OUTPUTS} bubbles; {count} did not fit and are offered by a button “{more}”.",
        f"답 하나에는 말풍선이 {MOST_OUTPUTS}개까지입니다. {count}개는 ‘{more}’ 버튼으로 보여 줍니다.",
    )
    return _finding("response.template.outputs", "left_out", *(offered if more else told))


def _finding(at: str, code: str, english: str, korean: str) -> Finding:
    pointer = at.replace(".", "/").replace("[", "/").replace("]", "")
    return Finding(code, pointer, (english, korean))
