"""Catalogue: every setting there is, from the platform's rooms and the apps. Main builds it and gives it around."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pabal.platform.language import Pair
from pabal.platform.settings.model import BadSetting, Setting, SettingNotFound


class Catalogue:
    """In the order declared; each key once."""

    def __init__(self, settings: Iterable[Setting[Any]]) -> None:
        self._by_key: dict[str, Setting[Any]] = {}
        named: dict[str, Pair] = {}
        for setting in settings:
            name = name_group(setting.group)
            if not name or named.setdefault(name, setting.group) != setting.group:
                raise BadSetting(f"{setting.key}: its group needs a name of its own, other than {name!r}")
            if setting.key in self._by_key:
                raise BadSetting(f"{setting.key} is declared twice")
            self._by_key[setting.key] = setting

    def __getitem__(self, key: str) -> Setting[Any]:
        found = self._by_key.get(key)
        if found is None:
            raise SettingNotFound(key[:100])
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __iter__(self) -> Iterator[Setting[Any]]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def groups(self) -> dict[Pair, list[Setting[Any]]]:
        grouped: dict[Pair, list[Setting[Any]]] = {}
        for setting in self:
            grouped.setdefault(setting.group, []).append(setting)
        return grouped


def name_group(label: Pair) -> str:
    """For addresses: the same whatever else is loaded, and in either language."""
    return re.sub(r"\W+", "-", label[0].lower()).strip("-")
