"""Sample data of our own: 26 compositions with 84 fields of an invented poker broadcast, and gfx_data for each."""

import json
from pathlib import Path
from typing import Any

from pabal.apps.rendering.model.mapping_files import Imported, read_csv

_FOLDER = Path(__file__).parent
PICTURES = "D:/assets"


def sample_csv() -> str:
    """As people import it; `sample_json` holds the same."""
    return (_FOLDER / "compositions.csv").read_text(encoding="utf-8")


def sample_json() -> str:
    return (_FOLDER / "compositions.json").read_text(encoding="utf-8")


def sample_compositions() -> Imported:
    return read_csv(sample_csv())


def sample_gfx(composition_id: str, *, pictures: str = PICTURES) -> dict[str, Any]:
    """Fills every field of the composition. `pictures` is the folder of photos and logos, as the worker sees it."""
    text = (_FOLDER / "gfx.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace("{pictures}", pictures))[composition_id]
    return found
