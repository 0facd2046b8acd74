"""Which model writes proposals: the one for generating, as the settings say; offline, the one that is built in."""

from pabal.apps.rules.planner.drafting import Draft, draft_script
from pabal.apps.rules.planner.offline import OfflineDrafter
from pabal.apps.rules.skills.choosing import ChosenModel, Role, Tools, choose_model
from pabal.apps.rules.skills.llm import AskLimits, OfflineLlm
from pabal.base.database import Tx

# a strong model thinks before it writes
LIMITS = AskLimits(seconds=180.0)


async def choose_drafter(tx: Tx, tools: Tools) -> ChosenModel:
    chosen = await choose_model(tx, tools, Role.GENERATING)
    if isinstance(chosen.llm, OfflineLlm):
        return ChosenModel(OfflineDrafter(chosen.llm.price), chosen.model)
    return chosen


async def draft(chosen: ChosenModel, request: str) -> Draft:
    """With no transaction open: a model may take minutes."""
    return await draft_script(chosen.llm, request, model=chosen.model, limits=LIMITS)
