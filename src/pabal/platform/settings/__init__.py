"""What an operator may change at run time: declared by rooms and apps, kept as rows, read when it is needed."""

from pabal.platform.settings.actions import AREA, CHANGED, change, reset
from pabal.platform.settings.catalogue import Catalogue, name_group
from pabal.platform.settings.model import (
    BadSetting,
    Choice,
    Setting,
    SettingChanged,
    SettingNotAChoice,
    SettingNotFound,
    SettingOutOfRange,
    SettingUnreadable,
)
from pabal.platform.settings.store import Listed, Values, get_setting, list_settings, list_unknown, value, values

__all__ = [
    "AREA",
    "CHANGED",
    "BadSetting",
    "Catalogue",
    "Choice",
    "Listed",
    "Setting",
    "SettingChanged",
    "SettingNotAChoice",
    "SettingNotFound",
    "SettingOutOfRange",
    "SettingUnreadable",
    "Values",
    "change",
    "get_setting",
    "list_settings",
    "list_unknown",
    "name_group",
    "reset",
    "value",
    "values",
]
