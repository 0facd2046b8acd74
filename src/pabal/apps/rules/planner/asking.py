"""Who writes a proposal, and from which examples: as the settings say, and as far as the asker may see."""

from dataclasses import dataclass

from pabal.apps.rules.planner.drafting import Draft, draft_script
from pabal.apps.rules.planner.offline import OfflineDrafter
from pabal.apps.rules.recall import actions as recall
from pabal.apps.rules.recall.model import AREA, Recalled
from pabal.apps.rules.skills.choosing import ChosenModel, Role, Tools, choose_model
from pabal.apps.rules.skills.llm import AskLimits, OfflineLlm
from pabal.base.database import Tx
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


async def open_drafting(tx: Tx, actor: Actor, tools: Tools, request: str) -> Drafting:
    actor.require(Right.WRITE, AREA)
    examples = await recall.find_nearest(tx, await visible_to(tx, actor), request, MOST_EXAMPLES)
    return Drafting(request, await _choose(tx, tools), tuple(examples))


async def _choose(tx: Tx, tools: Tools) -> ChosenModel:
    chosen = await choose_model(tx, tools, Role.GENERATING)
    if isinstance(chosen.llm, OfflineLlm):
        return ChosenModel(OfflineDrafter(chosen.llm.price), chosen.model)
    return chosen
