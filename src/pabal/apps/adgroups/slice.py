"""What the app hands over: a life declared once, moved by events."""

from pathlib import Path

from pabal.apps.adgroups import alert_rules, overview, settings
from pabal.apps.adgroups.approvals import APPROVABLES
from pabal.apps.adgroups.controls import CONTROLS, KIND_CONTROLS
from pabal.apps.adgroups.demo import DEMO
from pabal.apps.adgroups.errors import KO
from pabal.apps.adgroups.incoming import EVENTS
from pabal.apps.adgroups.jobs import make_kinds, make_loops
from pabal.apps.adgroups.labels import ACTIONS, NAMES, STATUS
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.serving.gateway import make_gateways
from pabal.apps.adgroups.steps import STEPS
from pabal.apps.adgroups.subscribers import SUBSCRIBERS
from pabal.platform import alerts
from pabal.platform.overview import NavItem
from pabal.platform.slice import Slice

HERE = Path(__file__).parent

SLICE = Slice(
    name=AREA,
    label=("Ad groups", "광고"),
    icon="ad-2",
    kinds=make_kinds,
    machines=(AD_GROUP,),
    controls=CONTROLS,
    approvals=APPROVABLES,
    steps=STEPS,
    kind_controls=KIND_CONTROLS,
    subscribers=SUBSCRIBERS,
    events=EVENTS,
    migrations=HERE / "migrations",
    loops=make_loops,
    gateways=make_gateways,
    errors=KO,
    actions=ACTIONS,
    names=NAMES,
    settings=(*settings.ALL, *alerts.list_rule_settings(alert_rules.RULES)),
    measures=alert_rules.MEASURES,
    alert_rules=alert_rules.RULES,
    api="pabal.apps.adgroups.api",
    nouns="pabal.apps.adgroups.resources:NOUNS",
    pages="pabal.apps.adgroups.pages",
    templates=HERE / "templates",
    static=HERE / "static",
    nav=(
        NavItem("/ads/groups", ("Ad groups", "광고그룹"), AREA, need=overview.count_needs, goto="d"),
        NavItem("/ads/campaigns", ("Campaigns", "캠페인"), AREA),
        NavItem("/ads/inventory", ("Inventory", "인벤토리"), AREA),
        NavItem("/ads/delayed", ("Delayed events", "지연 이벤트"), AREA),
        NavItem("/ads/migration", ("Migration", "전환"), AREA),
        NavItem("/ads/mismatches", ("Mismatches", "불일치"), AREA),
        NavItem("/ads/serving", ("Ad servers", "광고 서버"), AREA, is_of_house=True),
    ),
    status=STATUS,
    card=overview.card,
    needs=overview.list_needs,
    find=overview.find,
    link=overview.link,
    demo=DEMO,
)
