"""Campaigns, which ad groups belong to, and the inventory they are shown in."""

from datetime import datetime
from typing import Any

from pabal.apps.adgroups.model.adgroups import AREA, CampaignState, NewCampaign
from pabal.apps.adgroups.resources.names import APP, CAMPAIGN_EXAMPLE, CAMPAIGN_PREFIX, STATUS_WORDS, CampaignStatus
from pabal.platform.resources import KEPT, ROW_ID, Ask, Noun, View, ask, field

_ACTIONS, _STORE, _CLI = f"{APP}.actions.campaigns", f"{APP}.store.campaigns", f"{APP}.cli"
_WORD, _UNIT = "pabal.platform.web.filters:Word", "pabal.platform.commands.options:find_unit_id"
_START, _END = f"{_CLI}.timing:find_start", f"{_CLI}.timing:find_end"


class CampaignView(View):
    """PLANNED and OPEN ones let their ad groups be approved; CLOSED ones do not. `end_at` null: it does not end."""

    id: str = field(("ID", "ID"), example=CAMPAIGN_EXAMPLE)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    status: CampaignStatus = field(("State", "상태"), status="campaign_status", example="OPEN")
    name: str = field(("Name", "이름"), example="2026 여름")
    start_at: datetime = field(("Start", "시작"))
    end_at: datetime | None = field(("End (not included)", "종료(그 시각 전까지)"))
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))


class CampaignAsk(Ask):
    """Without a unit it is your own."""

    name: str = ask("What people call it.", read=_WORD, argument=True, metavar="NAME", example="2026 여름")
    start_at: datetime | None = ask("Its start; now if left out.", option="--from", find=_START, default=None)
    end_at: datetime | None = ask(
        "Its end: for a command a date is to its end, '' is none.",
        option="--until",
        find=_END,
        example="2026-09-01T00:00:00Z",
        default=None,
    )
    status: CampaignStatus = ask(
        "A closed one lets no ad group be approved.", option="--state", default=CampaignStatus.OPEN
    )
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=_UNIT, rules=ROW_ID, example=3, default=None
    )

    def arguments(self) -> dict[str, Any]:
        state = CampaignState(self.status.lower())
        return {"new": NewCampaign(self.name, self.start_at, self.end_at, state), "unit_id": self.unit_id}


class CampaignChange(Ask):
    """JSON merge patch: only what is given changes."""

    name: str = ask("What people call it.", read=_WORD, example="2026 여름", default=KEPT)
    start_at: datetime = ask("Its start.", option="--from", find=_START, default=KEPT)
    end_at: datetime | None = ask(
        "Its end: for a command a date is to its end, '' is none.",
        option="--until",
        find=_END,
        example=None,
        default=KEPT,
    )
    status: CampaignStatus = ask(
        "A closed one lets no ad group be approved.", option="--state", example="CLOSED", default=KEPT
    )

    def arguments(self) -> dict[str, Any]:
        given = super().arguments()
        state = {} if "status" not in given else {"state": CampaignState(given["status"].lower())}
        return {**{name: value for name, value in given.items() if name != "status"}, **state}


class InventoryView(View):
    """Where ads are shown; its code is what ad servers ask for."""

    id: int = field(("No.", "번호"), example=7)
    code: str = field(("Code", "코드"), example="seoul-1")
    name: str = field(("Name", "이름"), example="서울역 1번 화면")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    created_at: datetime = field(("Made", "만든 때"))


class InventoryAsk(Ask):
    """Without a unit it is your own."""

    code: str = ask(
        "What ad servers ask for: main-banner.",
        read=f"{APP}.api.readings:InventoryCode",
        argument=True,
        metavar="CODE",
        example="seoul-1",
    )
    name: str = ask("What people call it.", read=_WORD, example="서울역 1번 화면")
    unit_id: int | None = ask(
        "Whose it is.", option="--org", metavar="UNIT", find=_UNIT, rules=ROW_ID, example=3, default=None
    )


CAMPAIGN = Noun(
    "campaign",
    "campaigns",
    AREA,
    CampaignView,
    view=f"{APP}.resources.views:view_campaign",
    find=f"{_STORE}:get_campaign",
    hold=f"{_STORE}:lock_campaign",
    named=f"{_CLI}.finding:find_campaign",
    prefix=CAMPAIGN_PREFIX,
    words=STATUS_WORDS,
    which="Its id (cmp_…), its number, or its name.",
    columns=("id", "status", "name", "start_at", "end_at", "unit_id", "created_at", "updated_at"),
    get_help="Shows one campaign.",
)
CAMPAIGN.lists(
    "list_campaigns",
    "Lists campaigns, the newest first.",
    f"{_STORE}:list_campaigns",
    columns=("id", "status", "name", "start_at", "end_at", "unit_id"),
    empty=(
        "No campaigns. Example: pabal ad campaign create NAME --org UNIT",
        "캠페인이 없습니다. 예: pabal ad campaign create 이름 --org 조직",
    ),
)
CAMPAIGN.verb(
    "create",
    f"{_ACTIONS}:create_campaign",
    "Makes a campaign. Its ad groups belong to its unit.",
    CampaignAsk,
    makes=True,
)
CAMPAIGN.verb(
    "edit",
    f"{_ACTIONS}:amend_campaign",
    "Changes only what is given. Closing it stops no ad group that was approved; it lets no other be.",
    CampaignChange,
    method="PATCH",
)

INVENTORY = Noun(
    "inventory",
    "inventory",
    AREA,
    InventoryView,
    view=f"{APP}.resources.views:view_inventory",
    words=STATUS_WORDS,
)
INVENTORY.lists(
    "list_inventory",
    "Lists the places where ads are shown, the newest first.",
    f"{_STORE}:list_inventories",
    columns=("id", "code", "name", "unit_id", "created_at"),
    empty=(
        "No inventory. Example: pabal ad inventory add CODE --name NAME --org UNIT",
        "인벤토리가 없습니다. 예: pabal ad inventory add 코드 --name 이름 --org 조직",
    ),
)
INVENTORY.verb(
    "add",
    f"{_ACTIONS}:add_inventory",
    "Adds a place where ads are shown. Each code is used once in the whole house.",
    InventoryAsk,
    makes=True,
)
