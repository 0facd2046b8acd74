"""Which model of meanings the settings name now, and whether the database can keep what it says."""

from dataclasses import dataclass

from pabal.apps.rules.recall import meanings
from pabal.apps.rules.recall import settings as own
from pabal.apps.rules.recall.embedding import ApiEmbedder, Embedder, OfflineEmbedder
from pabal.apps.rules.skills.choosing import Tools
from pabal.base.database import Tx
from pabal.platform import settings

NO_ADDRESS, NOT_FILLED = "no_address", "not_filled"


@dataclass(frozen=True, slots=True)
class ChosenEmbedder:
    """`model` names the way as well: the same name at two places is two models."""

    embedder: Embedder
    model: str


@dataclass(frozen=True, slots=True)
class NoMeanings:
    """A model of meanings is wanted and cannot be used; `problem` is a code of `labels.PROBLEMS`."""

    problem: str


async def choose_embedder(tx: Tx, tools: Tools) -> ChosenEmbedder | NoMeanings | None:
    """None: cases are found by words alone, as the settings say."""
    way = await settings.value(tx, own.EMBEDDING)
    if way == "none":
        return None
    if way == "offline":
        return ChosenEmbedder(OfflineEmbedder(), "offline")
    startup, name = tools.startup, await settings.value(tx, own.EMBEDDING_MODEL)
    if not startup.embedding_url:
        return NoMeanings(NO_ADDRESS)
    embedder = ApiEmbedder(tools.fetcher, startup.embedding_url, name, startup.embedding_key)
    return ChosenEmbedder(embedder, f"api:{name}")


async def find_usable(tx: Tx, tools: Tools) -> ChosenEmbedder | NoMeanings | None:
    """To ask for what a request means, where there is something to compare it with."""
    chosen = await choose_embedder(tx, tools)
    if not isinstance(chosen, ChosenEmbedder):
        return chosen
    now = await meanings.look(tx)
    if now.holds(chosen.model):
        return chosen
    return NoMeanings(now.lack or NOT_FILLED)
