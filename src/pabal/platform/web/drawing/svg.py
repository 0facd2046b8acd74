"""Writes a machine as SVG in the classes of the visual language: states to tab through, ways with what they say."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from pabal.engine.machine import Machine
from pabal.platform.web.drawing.layout import LINE_HEIGHT, lay_out
from pabal.platform.web.drawing.places import Box, Drawn, Label, Layout, Way

Mark = Literal["", "no", "seen", "can"]
# What is drawn later lies on top, and what a label says is the strongest of what its ways are.
STRENGTH: tuple[Mark, ...] = ("", "no", "seen", "can")
SMALLEST = 0.84
NOTE_HEIGHT = 24
ROOM = 102
MARGIN = 14
# XML has no way to write these.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class StateText:
    """A state in the reader's words: in the box, below it in small, and as a sentence for those who cannot see it."""

    word: str
    note: str
    said: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What one subject, or the last while, says about a machine. `can` and `refused` are about the state `now`:
    where each event leads, and in the reader's words why it does not."""

    now: str | None = None
    flag: str = ""
    look: str = ""
    seen_states: frozenset[str] = frozenset()
    seen_moves: frozenset[tuple[str, str, str]] = frozenset()
    can: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


def draw(machine: Machine, label: str, states: Mapping[str, StateText], marks: Marks = Marks()) -> Markup:  # noqa: B008 -- a value
    return _Pen(machine, lay_out(machine), states, marks).draw(label)


@dataclass(frozen=True)
class _Pen:
    machine: Machine
    layout: Layout
    states: Mapping[str, StateText]
    marks: Marks

    def draw(self, label: str) -> Markup:
        ways = sorted(self.layout.drawn, key=lambda one: STRENGTH.index(self._mark_way(one.way)))
        is_live = [self._is_about_now(one.way) for one in ways]
        height = self.layout.height + (NOTE_HEIGHT if self._has_notes else 0)
        parts = [
            *(self._draw_line(one) for one, live in zip(ways, is_live, strict=True) if not live),
            *(self._draw_label(one) for one in self.layout.labels),
        ]
        for state in self.layout.boxes:
            parts.append(self._draw_state(state))
            if state == self.marks.now:
                parts += [self._draw_way(one) for one, live in zip(ways, is_live, strict=True) if live]
        return Markup(
            '<svg class="pb-machine" viewBox="0 0 {w} {h}" style="min-width:{least}px;max-width:{most}px" '
            'role="group" aria-label="{label}">{markers}{parts}</svg>'
        ).format(
            w=_number(self.layout.width),
            h=_number(height),
            least=_number(self.layout.width * SMALLEST),
            most=_number(self.layout.width * 1.25),
            label=_clean(label),
            markers=self._draw_markers(),
            parts=Markup("").join(parts),
        )

    @property
    def _has_notes(self) -> bool:
        return any(self._note(one.way) for one in self.layout.drawn)

    def _mark_event(self, way: Way, event: str) -> Mark:
        if way.source == self.marks.now:
            if self.marks.can.get(event) == way.target:
                return "can"
            if event in self.marks.refused:
                return "no"
        return "seen" if (way.source, event, way.target) in self.marks.seen_moves else ""

    def _mark_way(self, way: Way) -> Mark:
        return max((self._mark_event(way, event) for event in way.events), key=STRENGTH.index)

    def _is_about_now(self, way: Way) -> bool:
        """What may or may not happen next can be reached by the keyboard, and says so."""
        return any(self._mark_event(way, event) in ("can", "no") for event in way.events)

    def _note(self, way: Way) -> str:
        refused = [event for event in way.events if self._mark_event(way, event) == "no"]
        return " · ".join(f"{event}: {self.marks.refused[event]}" for event in refused)

    def _draw_markers(self) -> Markup:
        marker = Markup(
            '<marker id="{id}" class="{mark}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 .6 7.4 4 0 7.4z"/></marker>'
        )
        drawn = [marker.format(id=self._id(mark), mark=mark) for mark in STRENGTH]
        return Markup("<defs>{}</defs>").format(Markup("").join(drawn))

    def _id(self, mark: str) -> str:
        return f"{self.machine.name}-{mark or 'way'}"

    def _draw_line(self, drawn: Drawn) -> Markup:
        mark = self._mark_way(drawn.way)
        return Markup(
            '<path class="edge {mark}" data-from="{source}" data-to="{target}" data-events="{events}" d="{d}" '
            'marker-end="url(#{marker})"/>'
        ).format(
            mark=mark,
            source=drawn.way.source,
            target=drawn.way.target,
            events=" ".join(drawn.way.events),
            d=_path(drawn),
            marker=self._id(mark),
        )

    def _draw_way(self, drawn: Drawn) -> Markup:
        """One that says more when it has the focus: why it is refused."""
        way, note = drawn.way, _clean(self._note(drawn.way))
        said = f"{', '.join(way.events)} → {self.states[way.target].word}"
        shown = _cut(note, self.layout.width - 2 * MARGIN, 6.4)
        text = Markup('<text class="why" x="{}" y="{}">{}</text>').format(
            _number(self.layout.width / 2), _number(self.layout.height + 8), shown
        )
        return Markup(
            '<g class="way" tabindex="0" role="img" aria-label="{said}"><title>{said}</title>{hit}{line}{text}</g>'
        ).format(
            said=_clean(f"{said}: {note}" if note else said),
            hit=Markup('<path class="hit" d="{}"/>').format(_path(drawn)),
            line=self._draw_line(drawn),
            text=text if note else "",
        )

    def _draw_label(self, label: Label) -> Markup:
        ways = [one.way for one in self.layout.drawn if one.group == label.group]
        marks = {
            event: max((self._mark_event(way, event) for way in ways), key=STRENGTH.index)
            for line in label.lines
            for event in line
        }
        return Markup("").join(self._draw_words(label, number, marks) for number in range(len(label.lines)))

    def _draw_words(self, label: Label, number: int, marks: Mapping[str, Mark]) -> Markup:
        box, events = label.box, label.lines[number]
        is_last = number == len(label.lines) - 1
        y = box.y + LINE_HEIGHT * number + 10
        words = Markup(", ").join(
            Markup('<tspan class="{}">{}</tspan>').format(marks[event], event) for event in events
        )
        return Markup('<text class="lab {}" x="{}" y="{}">{}{}</text>').format(
            max((marks[event] for event in events), key=STRENGTH.index),
            _number(box.x + box.width / 2),
            _number(y),
            words,
            "" if is_last else ",",
        )

    def _draw_state(self, state: str) -> Markup:
        box, text = self.layout.boxes[state], self.states[state]
        is_now, is_end = state == self.marks.now, state in self.machine.final
        classes = ["node", "seen" if state in self.marks.seen_states else "", "end" if is_end else ""]
        classes += ["now", self.marks.look] if is_now else []
        link = Markup('a href="{}"').format(text.href) if text.href else Markup('g tabindex="0" role="img"')
        return Markup(
            '<{open} class="{cls}" data-state="{state}" aria-label="{said}"><title>{said}</title>'
            '{rect}{inner}<text x="{x}" y="{y}">{word}</text> <text class="code" x="{x}" y="{under}">{note}</text>'
            "{flag}</{close}>"
        ).format(
            open=link,
            close="a" if text.href else "g",
            cls=" ".join(filter(None, classes)),
            state=state,
            said=_clean(text.said),
            rect=_rect(box, 10),
            inner=_rect(Box(box.x + 4, box.y + 4, box.width - 8, box.height - 8), 7, "inner") if is_end else "",
            x=_number(box.x + box.width / 2),
            y=_number(box.y + 25),
            under=_number(box.y + 42),
            word=_cut(text.word, ROOM, 8),
            note=_cut(text.note, ROOM, 6.1),
            flag=self._draw_flag(box) if is_now and self.marks.flag else "",
        )

    def _draw_flag(self, box: Box) -> Markup:
        width = max(38.0, len(self.marks.flag) * 9 + 14)
        return Markup('<g class="flag">{}<text x="{}" y="{}">{}</text></g>').format(
            _rect(Box(box.x - 7, box.y - 10, width, 20), 5),
            _number(box.x - 7 + width / 2),
            _number(box.y + 4),
            self.marks.flag,
        )


def _path(drawn: Drawn) -> str:
    first, *rest = drawn.points
    d, at = f"M{_number(first.x)} {_number(first.y)}", first
    for point in rest:
        d += f"H{_number(point.x)}" if point.y == at.y else f"V{_number(point.y)}"
        at = point
    return d


def _rect(box: Box, radius: int, cls: str = "") -> Markup:
    return Markup('<rect{} x="{}" y="{}" width="{}" height="{}" rx="{}"/>').format(
        Markup(' class="{}"').format(cls) if cls else "", *map(_number, box), radius
    )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("", text)


def _cut(text: str, room: float, letter: float) -> str:
    """What fits into so much room: letters of the Hangul kind are as wide as they are high."""
    cleaned = _clean(text)
    width = 0.0
    for number, one in enumerate(cleaned):
        width += letter if ord(one) < 0x1100 else letter * 1.7
        if width > room:
            return cleaned[: max(1, number - 1)] + "…"
    return cleaned
