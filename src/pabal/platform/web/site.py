"""Site: what the web of one server is made of, built once by main: services, slices, templates, words."""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from jinja2 import Environment

from pabal.engine.kinds import Kinds
from pabal.engine.machine import Machine
from pabal.engine.wakeups import Wakeups
from pabal.platform.alerts import AlertRule, Measure
from pabal.platform.approvals import Approvables
from pabal.platform.controls import MachineControls, Owners
from pabal.platform.language.pairs import Lang, Pair
from pabal.platform.language.status import STATUS, Words
from pabal.platform.resources import Noun
from pabal.platform.services import Services
from pabal.platform.settings import Catalogue
from pabal.platform.slice import Slice, list_approvables, list_nouns, list_owners, list_steps
from pabal.platform.web.render import make_environment
from pabal.platform.workflows import Workflows, make_step_kinds


class Stopping:
    """What is to end when the web server stops, before it waits for its connections."""

    def __init__(self) -> None:
        self._acts: set[Callable[[], None]] = set()
        self._is_said = False

    def add(self, act: Callable[[], None]) -> None:
        """Added again, it is still called once; at once where the server stops already."""
        if self._is_said:
            act()
        self._acts.add(act)

    def say(self) -> None:
        self._is_said = True
        for act in self._acts:
            act()


@dataclass(frozen=True)
class Site:
    """`folders` are the templates of the edges; those of the slices come by themselves."""

    services: Services
    slices: tuple[Slice, ...]
    wakeups: Wakeups
    kinds: Kinds
    folders: tuple[Path, ...] = ()
    is_demo: bool = False
    stopping: Stopping = field(default_factory=Stopping)

    @property
    def is_https(self) -> bool:
        return self.services.settings.public_url.startswith("https://")

    @cached_property
    def templates(self) -> Environment:
        own = [one.templates for one in self.slices if one.templates is not None]
        return make_environment((*self.folders, *own))

    @cached_property
    def words(self) -> Words:
        """One table: a family belongs to one room or app."""
        merged = dict(STATUS)
        for one in self.slices:
            merged |= dict(one.status)
        return merged

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(setting for one in self.slices for setting in one.settings)

    @cached_property
    def rules(self) -> tuple[AlertRule, ...]:
        return tuple(rule for one in self.slices for rule in one.alert_rules)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(measure for one in self.slices for measure in one.measures)

    @cached_property
    def controls(self) -> tuple[MachineControls, ...]:
        return tuple(each for one in self.slices for each in one.controls)

    @cached_property
    def owners(self) -> Owners:
        """Of the kinds of work that apps claim."""
        return list_owners(self.slices)

    @cached_property
    def approvables(self) -> Approvables:
        """What people decide in the inbox, by kind."""
        return list_approvables(self.slices)

    @cached_property
    def nouns(self) -> dict[str, Noun]:
        """Those with verbs that work on many rows."""
        return list_nouns(self.slices)

    @cached_property
    def workflows(self) -> Workflows:
        """The kinds of steps that apps bring, and what people may do with workflows."""
        return Workflows(make_step_kinds(list_steps(self.slices)))

    @cached_property
    def machines(self) -> dict[str, Machine]:
        return {machine.name: machine for one in self.slices for machine in one.machines}

    def link(self, about: str | None) -> str | None:
        """Where a person sees what this names: an app's own page, or that of a machine's subject."""
        return self.find_page(about) or self._find_subject(about)

    def find_page(self, about: str | None) -> str | None:
        """The page some app has for it."""
        for one in self.slices:
            found = one.link(about) if about and one.link is not None else None
            if found is not None:
                return found
        return None

    def _find_subject(self, about: str | None) -> str | None:
        """`kettle:1` when there is a machine of that name; a number longer than any id is none."""
        name, _, number = (about or "").partition(":")
        is_id = number.isascii() and number.isdigit() and len(number) < 19
        return f"/machines/{name}/{number}" if is_id and name in self.machines else None

    @staticmethod
    def write_flash(pair: Pair) -> str:
        return base64.urlsafe_b64encode(json.dumps(pair).encode()).decode()

    @staticmethod
    def read_flash(text: str, lang: Lang) -> str | None:
        """It comes back from a browser, so it may be anything; it is only shown, escaped, to its sender."""
        try:
            english, korean = json.loads(base64.urlsafe_b64decode(text))
        except (ValueError, TypeError, RecursionError, binascii.Error):
            return None
        return str(korean if lang == "ko" else english)[:500]
