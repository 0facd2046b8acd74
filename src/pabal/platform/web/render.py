"""Templates and what they may call. Nothing here marks foreign text as safe: Markup is made from our own tags only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pabal.platform.language import moments
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.language.status import Words, find_status
from pabal.platform.web.assets import asset

TEMPLATES = Path(__file__).parent / "templates"


@cache
def make_environment(folders: tuple[Path, ...]) -> Environment:
    """Ours first, so that no app can take the place of the layout. It holds nothing of a site, so a process has one."""
    loader = ChoiceLoader([FileSystemLoader(folder) for folder in (TEMPLATES, *folders)])
    return Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@dataclass(frozen=True, slots=True)
class Voice:
    """How one reader is spoken to: language, zone, and the moment relative times are told from."""

    lang: Lang
    zone: ZoneInfo
    now: datetime
    words: Words

    def helpers(self) -> Mapping[str, Any]:
        """What every template may call."""
        return {
            "T": self.say,
            "P": self.say_pair,
            "lang": self.lang,
            "icon": icon,
            "asset": asset,
            "status": self.status,
            "status_word": self.status_word,
            "when": self.when,
            "moment": self.moment,
            "span": self.span,
            "relative": self.relative,
        }

    def say(self, english: str, korean: str, **values: Any) -> str:
        return put(self.lang, (english, korean), **values)

    def say_pair(self, pair: Pair, **values: Any) -> str:
        return put(self.lang, (pair[0], pair[1]), **values)

    def moment(self, moment: datetime, *, seconds: bool = False) -> str:
        """As plain text, for sentences and titles."""
        return moments.show_moment(moment, self.zone, self.lang, now=self.now, seconds=seconds)

    def relative(self, moment: datetime) -> str:
        return moments.show_relative(moment, self.now, self.lang)

    def span(self, span: Any) -> str:
        return moments.show_span(span, self.lang)

    def when(
        self,
        moment: datetime | None,
        mode: Literal["1", "2", "t"] = "1",
        *,
        relative: bool = True,
        seconds: bool = False,
    ) -> Markup:
        """1: in a line; 2: relative below; t: the time alone, with its zone all the same."""
        if moment is None:
            return Markup('<span class="dim">–</span>')
        local = moment.astimezone(self.zone)
        date = moments.show_date(local, self.lang, this_year=self.now.astimezone(self.zone).year)
        shown = moments.show_time(local, seconds=seconds)
        said = shown if mode == "t" else f"{date} {shown}"
        utc = moment.astimezone(UTC)
        told = moments.show_relative(moment, self.now, self.lang) if relative else ""
        rel = Markup('<span class="rel" data-relative>{}</span>').format(told) if told else ""
        return Markup(
            '<time class="pb-when pb-when-{mode}" datetime="{iso}" title="{utc}">'
            '{said} <span class="zone">{zone}</span>{rel}</time>'
        ).format(
            mode="1" if mode == "t" else mode,
            iso=utc.isoformat().replace("+00:00", "Z"),
            utc=utc.strftime("%Y-%m-%d %H:%M:%S UTC"),
            said=said,
            zone=moments.show_zone(local),
            rel=rel,
        )

    def status_word(self, family: str, code: str) -> str:
        return self.say_pair(find_status(self.words, family, code).word)

    def status(self, family: str, code: str, *, pill: bool = False, small: bool = False) -> Markup:
        """Shape, word and colour from the one table; a script may replace just this span."""
        found = find_status(self.words, family, code)
        extra = (" st-pill" if pill else "") + (" st-sm" if small else "")
        return Markup('<span class="st st-{}{}" data-state="{}">{}</span>').format(
            found.look, extra, code, self.say_pair(found.word)
        )


def icon(name: str, cls: str = "") -> Markup:
    """From the sprite; words beside it or an aria-label around it say what it means."""
    return Markup('<svg class="icon {}" aria-hidden="true"><use href="{}#{}"/></svg>').format(
        cls, asset("vendor/icons.svg"), name
    )
