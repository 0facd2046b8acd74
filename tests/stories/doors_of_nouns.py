"""Every verb that has a door in REST and another among the pages, with whom each is for."""

from dataclasses import dataclass
from typing import Any

from pabal.platform.actor import EVERYTHING, Right
from tests.stories.test_doors import LATER, TAKES, Asker

R, W, M = Right.READ, Right.WRITE, Right.MANAGE
V1, MSG, ADS, RLY = "/api/v1", "/api/v1/messages", "/api/v1/adgroups", "/api/v1/relay"
RND = "/api/v1/render"
FORBIDDEN, MISSING = "forbidden", "not found"
AT_FIELD = "refused at its field"
TOKEN = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"


@dataclass(frozen=True)
class Door:
    """`body` is JSON for programs and a form for pages; `upload` is the field of a file that comes with it. `shows`: a
    page that answers what was asked by showing it."""

    path: str
    body: Any = None
    method: str = "POST"
    upload: str = ""
    shows: bool = False

    @property
    def is_page(self) -> bool:
        return not self.path.startswith("/api/")


@dataclass(frozen=True)
class Verb:
    """`of_house`: what everybody but the head office is told. `at_field`: what a body names out of sight is refused
    where it stands, as if it were not there at all. `for_all`: it begins with nothing that could be out of sight.
    `of_person`: a person has all that their role gives, so a program that has less may do nothing to one."""

    area: str
    right: Right
    doors: tuple[Door, ...]
    of_house: str = ""
    at_field: bool = False
    for_all: bool = False
    of_person: bool = False

    def expects(self, asker: Asker, *, is_house: bool) -> str:
        if not asker.actor.may(self.right, self.area):
            return FORBIDDEN
        if self.of_person and EVERYTHING not in asker.actor.scopes:
            return FORBIDDEN
        if self.of_house and not is_house:
            return self.of_house
        return "allowed" if asker.sees or self.for_all else MISSING

    def accepts(self, expected: str) -> tuple[str, ...]:
        return (expected, AT_FIELD) if self.at_field and expected == MISSING else (expected,)


def _delete(path: str) -> Door:
    return Door(path, method="DELETE")


def _messaging(right: Right, *doors: Door, **more: Any) -> Verb:
    return Verb("messaging", right, doors, **more)


def _ads(right: Right, *doors: Door, **more: Any) -> Verb:
    return Verb("adgroups", right, doors, **more)


def _relay(right: Right, *doors: Door, **more: Any) -> Verb:
    return Verb("relay", right, doors, **more)


def _rendering(right: Right, *doors: Door, **more: Any) -> Verb:
    return Verb("rendering", right, doors, **more)


def _rules(right: Right, *doors: Door, **more: Any) -> Verb:
    return Verb("rules", right, doors, **more)


def _workflows(*doors: Door, **more: Any) -> Verb:
    return Verb("workflows", W, doors, **more)


def _slot(right: Right, verb: str, body: Any = None, typed: Any = None) -> Verb:
    """Slots are the house's."""
    doors = Door(f"{RND}/workers/{{slot}}/{verb}", body), Door(f"/render/workers/{{slot}}/{verb}", typed or body)
    return _rendering(right, *doors, of_house=FORBIDDEN)


def _people(*doors: Door, **more: Any) -> Verb:
    return Verb("people", M, doors, **more)


def _person(*doors: Door) -> Verb:
    return _people(*doors, of_person=True)


def _channel(*doors: Door, **more: Any) -> Verb:
    return Verb("notifications", M, doors, **more)


NEW_ROOM = {"name": "새 방", "channel_id": "18299999", "bot_id": "{bot}", "unit_id": "{unit}"}
CLAIM = {"unit_id": "{unit}", "name": "발견한 방"}
WEEK = {"valid_from": "2026-01-01T00:00:00", "valid_until": "2089-12-31T23:59:00"}
DAILY = {"title": "아침 안내", "schedule_type": "daily", "schedule_time": "09:20"}
NEW = {**DAILY, **WEEK, "text": "좋은 아침", "room_id": "{shop}", "bot_id": "{bot}"}
OLD = {**DAILY, **WEEK, "target_bot_name": "busan1", "target_room_id": "18200001", "message_text": "좋은 아침"}
TYPED = {
    **NEW,
    "room_type": "production",
    "valid_from": "2026-01-01T00:00",
    "valid_until": "2089-12-31T23:59",
    "send_order": "text_first",
    "send_interval_seconds": "1",
    "zone": "Asia/Seoul",
    "late_policy": "window",
    "state": "active",
}
SCHEDULE, TEMPLATE = f"{MSG}/schedules/{{message_schedule}}", f"{MSG}/templates/{{template}}"
TEST = {"room_id": "{room}"}
MESSAGING = {
    "room add": _messaging(M, Door(f"{MSG}/rooms", NEW_ROOM), Door("/messages/rooms", NEW_ROOM)),
    "room claim": _messaging(
        *(M, Door(f"{MSG}/rooms/{{found}}/claim", CLAIM), Door("/messages/rooms/{found}/claim", CLAIM)),
        of_house=MISSING,
    ),
    "room limits": _messaging(
        M,
        Door(f"{MSG}/rooms/{{room}}", {"limits": {"messages_per_day": 7}}, "PATCH"),
        Door("/messages/rooms/{room}/limits", {"messages_per_day": "7"}),
    ),
    "room of another": _messaging(
        M,
        Door(f"{MSG}/rooms/{{room}}", {"unit_id": "{busan}"}, "PATCH"),
        Door("/messages/rooms/{room}", {"name": "시험방", "room_type": "test", "unit_id": "{busan}"}),
        of_house=MISSING,
    ),
    "bot edit": _messaging(
        M,
        Door(f"{MSG}/bots/{{bot}}", {"image_mode": "group", "unit_id": "{unit}"}, "PATCH"),
        Door("/messages/bots/{bot}", {"image_mode": "group", "unit_id": "{unit}"}),
    ),
    "device choose": _messaging(
        M, Door(f"{MSG}/devices/{{bot_device}}/choose"), Door("/messages/devices/{bot_device}/choose")
    ),
    "room order": _messaging(
        W,
        Door(f"{MSG}/rooms/{{room}}", {"bot_order": []}, "PATCH"),
        Door("/messages/rooms/{room}/order", {}),
    ),
    "group save": _messaging(
        *(W, Door(f"{MSG}/room-groups", {"name": "새 그룹"}), Door("/messages/groups", {"name": "새 그룹"})),
        for_all=True,
    ),
    "group replace": _messaging(W, Door(f"{MSG}/room-groups/{{group}}", {"name": "점장방"}, "PUT")),
    "group delete": _messaging(W, _delete(f"{MSG}/room-groups/{{group}}"), Door("/messages/groups/{group}/delete")),
    "bulk send missing": _messaging(
        W,
        Door(f"{MSG}/bulks/{{bulk}}/send-missing", {}),
        Door("/messages/schedules/{message_schedule}/bulks/{bulk}/send-missing", {}),
    ),
    "template save": _messaging(
        *(W, Door(f"{MSG}/templates", {"name": "새 것", "text": "x"})),
        Door("/messages/templates/new", {"template_name": "새 것", "text": "x"}),
        for_all=True,
    ),
    "template edit": _messaging(
        *(W, Door(TEMPLATE, {"name": "휴무", "text": "x"}, "PUT")),
        Door("/messages/templates/{template}", {"template_name": "휴무", "text": "x"}),
    ),
    "template delete": _messaging(W, _delete(TEMPLATE), Door("/messages/templates/{template}/delete")),
    "template edit of a unit above": _messaging(
        *(W, Door(f"{MSG}/templates/{{above}}", {"name": "공지", "text": "x"}, "PUT")),
        Door("/messages/templates/{above}", {"template_name": "공지", "text": "x"}),
        of_house=MISSING,
    ),
    "template delete of a unit above": _messaging(
        *(W, _delete(f"{MSG}/templates/{{above}}"), Door("/messages/templates/{above}/delete")),
        of_house=MISSING,
    ),
    "schedule create": _messaging(
        W,
        Door(f"{MSG}/schedules", NEW),
        Door("/api/schedules", OLD),
        Door("/messages/schedules/new", TYPED),
        Door("/messages/schedules/wizard", {**TYPED, "step": "4"}),
        at_field=True,
    ),
    "schedule edit": _messaging(
        W,
        Door(SCHEDULE, NEW, "PUT"),
        Door(SCHEDULE, {"title": "x"}, "PATCH"),
        Door("/api/schedules/{message_schedule}", OLD, "PUT"),
        Door("/messages/schedules/{message_schedule}/edit", TYPED),
    ),
    "schedule test": _messaging(
        W,
        Door(f"{SCHEDULE}/test", TEST),
        Door("/messages/schedules/{message_schedule}/test", TEST),
        Door("/messages/rooms/{room}/test", {"schedule_id": "{message_schedule}", "test_room_id": "{room}"}),
    ),
    "image upload": _messaging(
        W, Door(f"{MSG}/images", upload="file"), Door("/messages/files", upload="file"), for_all=True
    ),
}
GROUP, PAGE = f"{ADS}/{{draft_adg}}", "/ads/groups/{draft}"
SPAN = {"start_at": "2080-01-01T00:00:00", "end_at": "2080-02-01T00:00:00"}
SPAN_TYPED = {"start_at": "2080-01-01T00:00", "end_at": "2080-02-01T00:00"}
CAMPAIGN = {"name": "가을", "unit_id": "{unit}"}
PLACE = {"code": "seoul-99", "name": "서울역", "unit_id": "{unit}"}
CREATIVE = {"name": "포스터", "url": "https://cdn.example.com/b.png"}
RUN, RUN_PAGE = f"{ADS}/legacy/runs/{{run}}", "/ads/migration/{run}"
FLAGS = f"{ADS}/legacy/flags"
ADGROUPS = {
    "ad group create": _ads(
        *(W, Door(ADS, {"name": "여름", "campaign": "{cmp}", **SPAN})),
        Door("/ads/groups/new", {"name": "여름", "campaign_id": "{campaign}", **SPAN_TYPED}),
        at_field=True,
    ),
    "ad group edit": _ads(
        *(W, Door(GROUP, {"name": "여름 2"}, "PATCH")),
        Door(f"{PAGE}/edit", {"name": "여름 2", "campaign_id": "{campaign}", **SPAN_TYPED}),
    ),
    "creative add": _ads(W, Door(f"{GROUP}/creatives", CREATIVE), Door(f"{PAGE}/creatives", CREATIVE)),
    "creative remove": _ads(
        W, _delete(f"{GROUP}/creatives/{{creative}}"), Door(f"{PAGE}/creatives/{{creative}}/remove")
    ),
    "inventory of an ad group": _ads(
        *(W, Door(f"{GROUP}/inventory", {"codes": ["{code}"]}, "PUT"), Door(f"{PAGE}/inventory", {"code": "{code}"})),
        Door(f"{PAGE}/inventory/{{inventory}}/remove"),
    ),
    "campaign create": _ads(
        W, Door(f"{ADS}/campaigns", CAMPAIGN), Door("/ads/campaigns/new", {**CAMPAIGN, **SPAN_TYPED})
    ),
    "campaign edit": _ads(
        *(W, Door(f"{ADS}/campaigns/{{cmp}}", {"name": "가을 2"}, "PATCH")),
        Door("/ads/campaigns/{campaign}/edit", {"name": "가을 2", **SPAN_TYPED}),
    ),
    "inventory add": _ads(W, Door(f"{ADS}/inventory", PLACE), Door("/ads/inventory", PLACE)),
    "serving check": _ads(M, Door(f"{ADS}/serving/check"), Door("/ads/serving/check"), of_house=FORBIDDEN),
    "serving rebuild": _ads(M, Door(f"{ADS}/serving/rebuild"), Door("/ads/serving/rebuild"), of_house=FORBIDDEN),
    "migration plan": _ads(
        *(M, Door(f"{ADS}/legacy/runs", {"source": "csv", "file": "{csv}", "unit_id": "{unit}"})),
        Door("/ads/migration/plan", {"unit_id": "{unit}"}, upload="csv"),
    ),
    "migration start": _ads(M, Door(f"{RUN}/start", {}), Door(f"{RUN_PAGE}/start")),
    "migration resume": _ads(M, Door(f"{RUN}/resume"), Door(f"{RUN_PAGE}/resume")),
    "migration rollback": _ads(M, Door(f"{RUN}/rollback", {}), Door(f"{RUN_PAGE}/rollback")),
    "migration discard": _ads(M, _delete(RUN), Door(f"{RUN_PAGE}/discard")),
    "mismatch decide": _ads(
        *(M, Door(f"{ADS}/legacy/mismatches/{{mismatch}}/decide", {"believe": "machine"})),
        Door("/ads/mismatches/{mismatch}/decide", {"believe": "machine"}),
    ),
    "flag set": _ads(
        *(M, Door(FLAGS, {"kind": "ID", "ad_group": "{draft_adg}"}, "PUT")),
        Door("/ads/migration/flags", {"kind": "id", "value": "{draft}"}),
        at_field=True,
    ),
    "flag clear": _ads(
        *(M, _delete(f"{FLAGS}/ID?ad_group={{draft_adg}}")),
        Door("/ads/migration/flags/clear", {"kind": "id", "value": "{draft}"}),
        at_field=True,
    ),
    "flag set for the house": _ads(
        *(M, Door(FLAGS, {"kind": "PERCENT", "percent": 10}, "PUT")),
        Door("/ads/migration/flags", {"kind": "percent", "value": "10"}),
        of_house=FORBIDDEN,
    ),
    "calculator off": _ads(
        *(M, Door(f"{ADS}/legacy/calculator/off"), Door("/ads/migration/calculator/off")), of_house=FORBIDDEN
    ),
}
ACCOUNT, ACCOUNT_PAGE = f"{RLY}/accounts/{{relay_account}}", "/relay/accounts/{relay_account}"
CONVERSATION, OF_ACCOUNT = "conversations/{relay_paired}", {"account_id": "{relay_account}"}
INSTANCE, SAID = {"name": "새 비서", "unit_id": "{unit}"}, "messages/{relay_said}"
RELAY = {
    "account create": _relay(
        M, Door(f"{RLY}/accounts", INSTANCE), Door("/relay/accounts/new", {**INSTANCE, "rate_limit": "60"})
    ),
    "account edit": _relay(
        *(M, Door(ACCOUNT, {"name": "다른 비서"}, "PATCH")),
        Door(f"{ACCOUNT_PAGE}/edit", {**INSTANCE, "rate_limit": "60"}),
    ),
    "account rotate": _relay(M, Door(f"{ACCOUNT}/rotate", {}), Door(f"{ACCOUNT_PAGE}/rotate", {"overlap": "0"})),
    "account disable": _relay(M, Door(f"{ACCOUNT}/disable", {}), Door(f"{ACCOUNT_PAGE}/disable")),
    "account enable": _relay(M, Door(f"{ACCOUNT}/enable"), Door(f"{ACCOUNT_PAGE}/enable")),
    "code make": _relay(W, Door(f"{RLY}/codes", OF_ACCOUNT), Door("/relay/pairing", OF_ACCOUNT)),
    "code revoke": _relay(
        W, Door(f"{RLY}/codes/{{pairing_code}}/revoke"), Door("/relay/pairing/{pairing_code}/revoke")
    ),
    "conversation move": _relay(
        W, Door(f"{RLY}/{CONVERSATION}/move", OF_ACCOUNT), Door(f"/relay/{CONVERSATION}/move", OF_ACCOUNT)
    ),
    "message replay": _relay(W, Door(f"{RLY}/{SAID}/replay", OF_ACCOUNT), Door(f"/relay/{SAID}/replay", OF_ACCOUNT)),
}
RENDER, RENDER_PAGE = f"{RND}/jobs/{{render}}", "/render/jobs/{render}"
LAYOUT, LAYOUT_PAGE = f"{RND}/compositions/{{composition}}", "/render/templates/{composition}"
GFX = {"composition_name": "해운대 자막", "slots": [], "single_fields": {"pot": "500"}}
ASKED = {"composition_id": "{composition}", "gfx_data": GFX}
HOURS = {"days": [1, 2], "begins": "09:00", "ends": "18:00"}
RENDERING = {
    "render request": _rendering(
        *(W, Door(f"{RND}/jobs", ASKED), Door(f"{RND}/jobs/bulk", {"items": [ASKED]})),
        Door("/render/new", {**ASKED, "gfx_data": "{gfx}"}),
        at_field=True,
    ),
    "render request for another unit": _rendering(
        W, Door(f"{RND}/jobs", {**ASKED, "unit_id": "{busan}"}), of_house=MISSING
    ),
    "render priority": _rendering(
        W, Door(f"{RENDER}/priority", {"priority": "urgent"}), Door(f"{RENDER_PAGE}/priority", {"priority": "urgent"})
    ),
    "render on air": _rendering(
        W, Door(f"{RENDER}/on-air", {"on_air_at": LATER}), Door(f"{RENDER_PAGE}/on-air", {"at": "2080-01-01T00:00"})
    ),
    "render retry failed": _rendering(
        W, Door(f"{RND}/jobs/retry-failed", {}), Door("/render/retry-failed"), for_all=True
    ),
    "render release all stuck": _rendering(W, Door("/render/workers/stuck/release"), for_all=True),
    "worker pause": _slot(M, "pause", {"reason": "x"}),
    "worker resume": _slot(M, "resume"),
    "worker drain": _slot(M, "drain"),
    "worker hours": _slot(M, "hours", {"hours": HOURS}, {"day": "1", "begins": "09:00", "ends": "18:00"}),
    "worker look": _slot(W, "look"),
    "worker allow": _slot(M, "allow", {"composition_id": "{composition}"}),
    # whoever may see the render that it holds
    "worker release": _rendering(W, Door(f"{RND}/workers/{{slot}}/release"), Door("/render/workers/{slot}/release")),
    "mapping import": _rendering(
        *(M, Door(f"{RND}/compositions/import", {"format": "csv", "content": "{mappings}"})),
        Door("/render/mapping/import", {"content": "{mappings}"}),
        at_field=True,
    ),
    "mapping test": _rendering(
        R, Door(f"{LAYOUT}/test", {"gfx_data": GFX}), Door(f"{LAYOUT_PAGE}/test", {"gfx_data": "{gfx}"}, shows=True)
    ),
    "composition remove": _rendering(M, _delete(LAYOUT), Door(f"{LAYOUT_PAGE}/remove")),
    "composition remove of a unit above": _rendering(
        *(M, _delete(f"{RND}/compositions/{{above_composition}}")),
        Door("/render/templates/{above_composition}/remove"),
        of_house=MISSING,
    ),
    "cache clear": _rendering(M, Door(f"{RND}/cache/clear"), Door("/render/mapping/cache"), of_house=FORBIDDEN),
}
NEW_RULE = {"name": "주가", "schedule": "0 8 * * *", "source": "offline_quote", "unit_id": "{unit}"}
RULE, RULE_PAGE = f"{V1}/rules/{{rule_uid}}", "/rules/{rule_uid}"
BEAT, BEAT_PAGE = f"{V1}/rules/heartbeats/{{heartbeat}}", "/rules/heartbeats/{heartbeat}"
NEW_BEAT = {"name": "주간 백업", "cron": "0 4 * * 1", "unit_id": "{unit}"}
CASE = f"{V1}/rules/cases/{{case}}"
NEW_CASE = {"request": "환율이 오르면 알려줘", "answer": "=== fx.py", "unit_id": "{unit}"}
NEW_PLAN = {"request": "인사해 줘"}
RULES = {
    # from the command line and by REST
    "case teach": _rules(W, Door(f"{V1}/rules/cases", NEW_CASE)),
    "case pin": _rules(W, Door(f"{CASE}/pin"), Door("/rules/cases/{case}/pin")),
    "case ban": _rules(W, Door(f"{CASE}/ban"), Door("/rules/cases/{case}/ban")),
    "case reset": _rules(W, Door(f"{CASE}/reset"), Door("/rules/cases/{case}/reset")),
    "case forget": _rules(W, _delete(CASE), Door("/rules/cases/{case}/forget")),
    "plan request": Verb("plans", W, (Door(f"{V1}/plans", NEW_PLAN), Door("/rules/plans/new", NEW_PLAN)), for_all=True),
    "heartbeat create": _rules(W, Door(f"{V1}/rules/heartbeats", NEW_BEAT), Door("/rules/heartbeats/new", NEW_BEAT)),
    "heartbeat edit": _rules(W, Door(BEAT, {"name": "다른 이름"}, "PATCH"), Door(f"{BEAT_PAGE}/edit", NEW_BEAT)),
    "heartbeat new address": _rules(W, Door(f"{BEAT}/new-address"), Door(f"{BEAT_PAGE}/new-address")),
    "heartbeat delete": _rules(W, _delete(BEAT), Door(f"{BEAT_PAGE}/delete")),
    "rule create": _rules(W, Door(f"{V1}/rules", NEW_RULE), Door("/rules/new", NEW_RULE)),
    "rule edit": _rules(W, Door(RULE, {"name": "다른 이름"}, "PATCH"), Door(f"{RULE_PAGE}/edit", NEW_RULE)),
    "rule run": _rules(W, Door(f"{RULE}/run"), Door(f"{RULE_PAGE}/run")),
    "rule try": _rules(W, Door(f"{RULE}/dry-run"), Door(f"{RULE_PAGE}/dry-run")),
    "rule execution cancel": _rules(
        W, Door(f"{V1}/rule-executions/{{run_uid}}/cancel", {}), Door("/rules/runs/{run_uid}/cancel")
    ),
}
USER, TOKENS = f"{V1}/users/{{user}}", {"name": "보고", "role": "viewer"}
PERSON = {"login": "new.one", "name": "새 사람", "role": "viewer"}
UNIT, UNDER = f"{V1}/units/{{unit}}", {"parent_id": "{busan}", "level": "branch"}
CHANNEL, CHANNELS = {"name": "당직방", "chat_id": "-1001234567890"}, "/notifications/channels"
SERVER, KEY, FAMILY = f"{V1}/servers/{{server}}", "backup.keep_days", "licence"
GROUP = "walked"
LETTER = f"{V1}/dead-letters/{{dle}}"
PUBLISHED = {"name": "tea.drunk", "key": "", "event_id": "", "data": ""}


def _consumer(right: Right, verb: str, body: Any = None) -> Verb:
    """Consumers are the house's."""
    doors = Door(f"{V1}/event-consumers/{GROUP}/{verb}", body), Door(f"/events/consumers/{GROUP}/{verb}", body)
    return Verb("events", right, doors, of_house=MISSING)


HOUSE = {
    "user add": _person(
        Door(f"{V1}/users", {**PERSON, "unit_id": "{unit}"}), Door("/people/users", {**PERSON, "unit": "{unit}"})
    ),
    "user edit": _person(Door(USER, {"name": "x"}, "PATCH"), Door("/people/users/{user}", {"name": "x"})),
    "user deactivate": _person(Door(USER, {"is_active": False}, "PATCH"), Door("/people/users/{user}/deactivate")),
    "user activate": _person(Door(USER, {"is_active": True}, "PATCH"), Door("/people/users/{user}/activate")),
    "user link": _person(Door(f"{USER}/link"), Door("/people/users/{user}/link")),
    "user reset": _person(Door(f"{USER}/reset-password"), Door("/people/users/{user}/reset-password")),
    "token make": _people(
        Door(f"{V1}/tokens", {**TOKENS, "unit_id": "{unit}", "scopes": ["jobs:read"], "expires_at": "{soon}"}),
        Door("/people/tokens", {**TOKENS, "unit": "{unit}", "scope": "jobs:read"}),
    ),
    "token rotate": _people(Door(f"{V1}/tokens/{{token}}/rotate", {}), Door("/people/tokens/{token}/rotate")),
    "token revoke": _people(_delete(f"{V1}/tokens/{{token}}"), Door("/people/tokens/{token}/revoke")),
    "unit add": _people(
        *(Door(f"{V1}/units", {**UNDER, "name": "새 점"}), Door("/people/units", {**UNDER, "title": "새 점"})),
        of_house=MISSING,
    ),
    "unit rename": _people(
        Door(UNIT, {"name": "x"}, "PATCH"),
        # to change nothing takes the same right
        Door(UNIT, {}, "PATCH"),
        Door("/people/units/{unit}/rename", {"new_name": "x"}),
    ),
    "unit move": _people(
        *(Door(UNIT, {"parent_id": "{seoul}"}, "PATCH"), Door("/people/units/{unit}/move", {"new_parent": "{seoul}"})),
        of_house=MISSING,
    ),
    # the top of one's own tree nobody removes
    "unit remove": _people(
        *(_delete(f"{V1}/units/{{busan}}"), Door("/people/units/{busan}/remove")),
        of_house=MISSING,
    ),
    "channel add": _channel(
        *(Door(f"{V1}/channels", {**CHANNEL, "token": TOKEN, "unit_id": "{unit}"}),),
        Door(CHANNELS, {**CHANNEL, "token": TOKEN, "unit_id": "{unit}"}),
        at_field=True,
    ),
    "channel edit": _channel(
        Door(f"{V1}/channels/{{channel}}", CHANNEL, "PATCH"), Door(f"{CHANNELS}/{{channel}}", CHANNEL)
    ),
    "channel test": _channel(Door(f"{V1}/channels/{{channel}}/test"), Door(f"{CHANNELS}/{{channel}}/test")),
    "channel rotate": _channel(Door(f"{V1}/channels/{{hook}}/rotate", {}), Door(f"{CHANNELS}/{{hook}}/rotate")),
    "channel open": _channel(Door(f"{V1}/channels/{{hook}}/open"), Door(f"{CHANNELS}/{{hook}}/open")),
    "channel replay": _channel(
        Door(f"{V1}/channels/{{hook}}/replay", {"delivery": "{delivery}"}),
        Door(f"{CHANNELS}/{{hook}}/deliveries/{{said}}/replay"),
        Door(f"{CHANNELS}/{{hook}}/replay", {"hours": "24"}),
    ),
    "channel remove": _channel(_delete(f"{V1}/channels/{{channel}}"), Door(f"{CHANNELS}/{{channel}}/remove")),
    "setting change": Verb(
        *("settings", M, (Door(f"{V1}/settings/{KEY}", {"value": 9}, "PUT"), Door("/settings", {"group": "x"}))),
        of_house=FORBIDDEN,
    ),
    "setting reset": Verb(
        "settings", M, (_delete(f"{V1}/settings/{KEY}"), Door(f"/settings/{KEY}/reset")), of_house=FORBIDDEN
    ),
    "backup take": Verb("backup", M, (Door(f"{V1}/backups"), Door("/backup/take")), of_house=FORBIDDEN),
    "backup check": Verb(
        "backup", M, (Door(f"{V1}/backups/{{backup}}/check"), Door("/backup/{backup}/check")), of_house=FORBIDDEN
    ),
    "server drain": Verb("servers", M, (Door(f"{SERVER}/drain"), Door("/servers/{server}/drain")), of_house=MISSING),
    "server undrain": Verb(
        "servers", M, (Door(f"{SERVER}/undrain"), Door("/servers/{server}/undrain")), of_house=MISSING
    ),
    "lane resize": Verb("jobs", M, (Door(f"{V1}/lanes/{FAMILY}", {"width": 3}, "PUT"),), of_house=MISSING),
    "lane reset": Verb("jobs", M, (_delete(f"{V1}/lanes/{FAMILY}"),), of_house=MISSING),
    "event publish": Verb(
        "events", W, (Door(f"{V1}/events", {"name": "tea.drunk"}), Door("/events/publish", PUBLISHED)), for_all=True
    ),
    "letter retry": Verb("events", W, (Door(f"{LETTER}/retry"), Door("/events/dead/{letter}/retry"))),
    "letter discard": Verb("events", W, (Door(f"{LETTER}/discard", {}), Door("/events/dead/{letter}/discard", {}))),
    "consumer replay": _consumer(M, "replay", {"since": "2026-01-01T00:00:00Z"}),
    "consumer pause": _consumer(W, "pause"),
    "consumer resume": _consumer(W, "resume"),
    "consumer forget": Verb("events", M, (_delete(f"{V1}/event-consumers/{GROUP}"),), of_house=MISSING),
}
FLOW, RUN = f"{V1}/workflows/{{workflow}}", f"{V1}/workflow-runs/{{workflow_run}}"
RUN_PAGE, STEP = "/workflows/runs/{workflow_run}", {"step": "wait", "reason": "x"}
SAVED = {"yaml": "name: hello\nsteps:\n  - {{name: wait, wait: {{event: go}}}}\n"}
WORKFLOWS = {
    "workflow save": _workflows(Door(f"{V1}/workflows", SAVED), Door("/workflows/new", SAVED), for_all=True),
    "workflow start": _workflows(Door(f"{FLOW}/start", {}), Door("/workflows/{workflow}/start", {})),
    "workflow archive": _workflows(_delete(FLOW), Door("/workflows/{workflow}/archive")),
    "run pause": _workflows(Door(f"{RUN}/pause", {}), Door(f"{RUN_PAGE}/pause")),
    "run resume": _workflows(Door(f"{RUN}/resume"), Door(f"{RUN_PAGE}/resume")),
    "run cancel": _workflows(Door(f"{RUN}/cancel", {"reason": "x"}), Door(f"{RUN_PAGE}/cancel", {"reason": "x"})),
    "run retry": _workflows(Door(f"{RUN}/retry", {"step": "wait"}), Door(f"{RUN_PAGE}/retry", {"step": "wait"})),
    "run skip": _workflows(Door(f"{RUN}/skip", STEP), Door(f"{RUN_PAGE}/skip", STEP)),
    "run again": _workflows(Door(f"{RUN}/again", {}), Door(f"{RUN_PAGE}/again")),
    "run signal": _workflows(Door(f"{RUN}/signal", {"event": "go"})),
}
NOUNS = {**MESSAGING, **ADGROUPS, **RELAY, **RENDERING, **RULES, **HOUSE, **WORKFLOWS}
# what the walks say by name where a route has a place for it
NAMED = {*TAKES, "EXPIRE", "expire", "ID", KEY, FAMILY, GROUP}
# one door, or one's own affairs; everything else is walked, here or in test_doors.py
OWN = ("/bulks", "/account/", "/logout", "/scope", "/theme", "/welcome", "/sign-in", "/demo/")
# called by Kakao, instances and jobs elsewhere, who are nobody here: tests/apps/relay/api, rules/heartbeats
WIRE = ("/kakao/", "/kakao-talkchannel/", "/openclaw/", "/v1/", "/ping/")
SINGLE = {
    **dict.fromkeys(("/api/v1/notifications/read", "/notifications/read"), "one's own: what one has read"),
    "/api/v1/bulks/{id}/undo": "one's own; each row is asked as the single verb asks",
    **dict.fromkeys(("/api/v1/me/preferences", "/api/v1/sessions/{id}"), "one's own"),
    **dict.fromkeys(("/api/v1/me/telegram-code", "/api/v1/me/telegram"), "one's own"),
    **dict.fromkeys(("/api/v1/files", "/api/v1/files/{id}"), "files have no page of their own"),
    **dict.fromkeys(
        ("/api/v1/approvals/{id}/decision", "/approvals/{approval_id}/decision", "/approvals/{approval_id}/undo"),
        "asks for the right of the app whose thing it is: tests/platform/approvals",
    ),
    **dict.fromkeys(
        ("/approvals/{approval_id}/later", "/approvals/{approval_id}/now"),
        "one's own view of a request: tests/platform/approvals/test_afterthoughts.py",
    ),
    "/api/v1/messages/schedules/preview": "changes nothing",
    "/messages/schedules/preview": "changes nothing",
    "/messages/templates/preview": "changes nothing",
    "/ads/groups/preview": "changes nothing",
    "/ads/groups/bulk": "asks which event to send to many: test_doors_for_many.py",
    "/api/v1/files/{id}/link": "changes nothing: tests/api/test_isolation.py",
    "/relay/simulator": "talks as a KakaoTalk user of the demo does: tests/apps/relay/pages",
    "/relay/simulator/replay": "of the demo alone, and the same verb as from a trace: tests/apps/relay/pages",
    "/relay/conversations/bulk": "asks which event to send to many: test_doors_for_many.py",
    "/relay/conversations/{conversation_id}/{event}": "each of its verbs is an event of a machine",
    "/render/bulk": "asks what to do with many: test_doors_for_many.py",
    "/api/v1/render/jobs/check": "changes nothing; its page is the form of a new render",
    **dict.fromkeys(
        (
            *("/api/v1/plans/{id}", "/api/v1/plans/{id}/withdraw", "/api/v1/plans/{id}/redo"),
            *("/rules/plans/{plan_id}/edit", "/rules/plans/{plan_id}/withdraw", "/rules/plans/{plan_id}/redo"),
        ),
        "one's own with the right to propose, others' with that of rules: tests/apps/rules/plans/test_api.py",
    ),
    "/api/v1/tick": "asks the server to look now what it looks for anyway: tests/apps/rules/api",
    "/messages/devices/{device_id}/{verb}": "each of its verbs is an event of a machine",
}
