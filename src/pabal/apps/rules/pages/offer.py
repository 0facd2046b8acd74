"""What the rule's form offers to choose from: channels, workflows and rules that are there, keys for its texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pabal.apps.rules.actions.calling import ENDED
from pabal.apps.rules.labels import WAYS
from pabal.apps.rules.model.callbacks import CallbackType
from pabal.apps.rules.pages import callback_rows, condition_rows, rows
from pabal.apps.rules.pages.callback_rows import CHANNEL, FIELDS, THEN, WORKFLOW, CallbackRow
from pabal.apps.rules.pages.sources import ListedSource, list_sources
from pabal.apps.rules.store import rules as store
from pabal.base.database import Tx
from pabal.engine.workflows import listing
from pabal.platform import notifications, tenants
from pabal.platform import workflows as flows
from pabal.platform.actor import ENGINE, Right
from pabal.platform.language.pairs import Pair
from pabal.platform.notifications import Level, Notice
from pabal.platform.web.visit import Visit

# more rules than that are not offered to run after a yes; the newest are
MOST_RULES = 300
_BY_CHANNEL = {one.value: one for one in (CallbackType.TELEGRAM, CallbackType.WEBHOOK, CallbackType.EMAIL)}
SUCCESS = Notice(ENDED, ("a success", "성공"), level=Level.INFO)
# what every run says of itself
KEYS = ("rule_name", "message", "status", "status_emoji", "scheduled_at")


@dataclass(frozen=True, slots=True)
class FormWords:
    """The words of every list to choose from."""

    kinds: Mapping[str, Pair]
    compared_with: Mapping[str, Pair]
    operations: Mapping[str, Pair]
    joins: Mapping[str, Pair]
    ways: Mapping[str, Pair]
    whens: Mapping[str, Pair]
    levels: Mapping[str, Pair]


WORDS = FormWords(
    rows.KINDS,
    condition_rows.WITH,
    condition_rows.OPERATIONS,
    condition_rows.JOINS,
    {one.value: WAYS[one.value] for one in FIELDS},
    callback_rows.WHENS,
    callback_rows.LEVELS,
)


@dataclass(frozen=True, slots=True)
class OfferedChannel:
    """`hears`: what a success says is not below the least level it takes, and it wants to hear of rules."""

    name: str
    is_on: bool
    hears: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """Each choice with what a person reads of it, by the kind of callback."""

    channels: Mapping[CallbackType, Sequence[OfferedChannel]]
    workflows: Sequence[tuple[str, str]]
    rules: Sequence[tuple[str, str]]
    sources: Sequence[ListedSource]
    keys: Sequence[str] = KEYS

    @property
    def chosen_from(self) -> Mapping[tuple[CallbackType, str], Collection[str]]:
        return {
            **{(kind, CHANNEL): [one.name for one in found] for kind, found in self.channels.items()},
            (CallbackType.WORKFLOW, WORKFLOW): [name for name, _ in self.workflows],
            (CallbackType.APPROVAL, THEN): [rule_id for rule_id, _ in self.rules],
        }


async def load_offer(
    tx: Tx, visit: Visit, unit_id: int | None, callbacks: Mapping[str, Sequence[CallbackRow]]
) -> Offer:
    """For a rule of this unit. What no callback of it needs is not looked for."""
    is_theirs = unit_id is not None and visit.scope.holds(unit_id)
    owner = (unit_id if is_theirs else visit.scope.unit_id) or (await tenants.ensure_hq(tx)).id
    wanted = {row.type for told in callbacks.values() for row in told}
    return Offer(
        await _list_channels(tx, owner) if wanted & set(_BY_CHANNEL.values()) else {},
        await _list_workflows(tx, visit, owner) if CallbackType.WORKFLOW in wanted else [],
        await _list_rules(tx, visit) if CallbackType.APPROVAL in wanted else [],
        list_sources(),
    )


async def _list_channels(tx: Tx, owner: int) -> dict[CallbackType, list[OfferedChannel]]:
    """Those of its unit and above. Whoever may write a rule here reaches them all, and its runs name them."""
    reach = {unit.id for unit in await tenants.list_path(tx, owner)}
    found: dict[CallbackType, list[OfferedChannel]] = {one: [] for one in _BY_CHANNEL.values()}
    for channel in await notifications.list_channels(tx, ENGINE):
        kind = _BY_CHANNEL.get(channel.kind)
        if kind is not None and channel.unit_id in reach:
            found[kind].append(OfferedChannel(channel.name, channel.is_active, channel.wants_notice(SUCCESS)))
    return found


async def _list_workflows(tx: Tx, visit: Visit, owner: int) -> list[tuple[str, str]]:
    if not visit.actor.may(Right.READ, flows.AREA):
        return []
    found = await listing.list_workflows(tx, [owner], seen_by=flows.roles_below(visit.actor))
    return [(one.name, one.title or one.name) for one in found]


async def _list_rules(tx: Tx, visit: Visit) -> list[tuple[str, str]]:
    found = await store.list_rules(tx, visit.scope, limit=MOST_RULES)
    return [(str(one.id), one.name) for one in found.items]
