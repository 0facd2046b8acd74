"""Who writes a proposal, and from which examples: as the settings say, and as far as the asker may see."""

from dataclasses import dataclass, replace

from pabal.apps.rules.planner.drafting import Draft, draft_script
from pabal.apps.rules.planner.offline import OfflineDrafter
from pabal.apps.rules.recall import actions as recall
from pabal.apps.rules.recall.choosing import ChosenEmbedder, NoMeanings, find_usable
from pabal.apps.rules.recall.model import AREA, Meaning, Recalled
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.apps.rules.skills.choosing import ChosenModel, Role, Tools, choose_model
from pabal.apps.rules.skills.errors import BadModelName
from pabal.apps.rules.skills.llm import AskLimits, OfflineLlm, is_model_name
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import visible_to

# a strong model thinks before it writes
LIMITS = AskLimits(seconds=180.0)
MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Drafting:
    """What is to be asked, by whom it is answered, and what it is shown."""

    request: str
    chosen: ChosenModel
    examples: tuple[Recalled, ...]

    async def run(self) -> Draft:
        """With no transaction open: a model may take minutes."""
        model, llm = self.chosen.model, self.chosen.llm
        return await draft_script(llm, self.request, model=model, limits=LIMITS, examples=self.examples)


@dataclass(frozen=True, slots=True)
class Embedding:
    request: str
    chosen: ChosenEmbedder

    async def run(self) -> Meaning | NoMeanings:
        """With no transaction open. A model of meanings that is away keeps nobody from a draft."""
        try:
            [found] = await self.chosen.embedder.embed([self.request])
        except PabalError as error:
            return NoMeanings(f"no_answer: {error}"[:300])
        return Meaning(self.chosen.model, found)


async def find_embedding(tx: Tx, actor: Actor, tools: Tools, request: str) -> Embedding | NoMeanings | None:
    """What the request means, to be asked for before examples are looked for; None: they are found by words."""
    actor.require(Right.WRITE, AREA)
    usable = await find_usable(tx, tools)
    return Embedding(scrub(request), usable) if isinstance(usable, ChosenEmbedder) else usable


async def open_drafting(  # long: what a draft is made of
    tx: Tx, actor: Actor, tools: Tools, request: str, *, model: str = "", meaning: Meaning | None = None
) -> Drafting:
    actor.require(Right.WRITE, AREA)
    if not is_model_name(model):
        raise BadModelName(model[:100])
    scope = await visible_to(tx, actor)
    examples = await recall.find_nearest(tx, scope, request, MOST_EXAMPLES, meaning=meaning)
    chosen = await _choose(tx, tools)
    return Drafting(request, replace(chosen, model=model) if model else chosen, tuple(examples))


async def _choose(tx: Tx, tools: Tools) -> ChosenModel:
    chosen = await choose_model(tx, tools, Role.GENERATING)
    if isinstance(chosen.llm, OfflineLlm):
        return ChosenModel(OfflineDrafter(chosen.llm.price), chosen.model)
    return chosen
