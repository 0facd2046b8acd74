"""An example that moves by itself in the demo: kettles in teahouses, boiled by schedules, one of them spilling over."""

from pathlib import Path

from pabal.demo.card import show_card
from pabal.demo.kettle import CONTROLS, KETTLE
from pabal.demo.orders import orders
from pabal.demo.teahouse import close, kinds, open_up
from pabal.platform.language.status import Status
from pabal.platform.slice import Demo, Slice

SLICE = Slice(
    "demo",
    label=("Demo", "데모"),
    icon="flask",
    kinds=kinds,
    machines=(KETTLE,),
    controls=(CONTROLS,),
    consumers=orders.consumers,
    migrations=Path(__file__).parent / "migrations",
    card=show_card,
    demo=Demo(load=open_up, clear=close),
    status={
        "kettle": {
            "cold": Status("wait", ("cold", "식음")),
            "boiling": Status("work", ("boiling", "끓는 중")),
            "scrapped": Status("end", ("scrapped", "버림")),
        },
        "kettle_event": {"click_off": Status("wait", ("clicks off", "불 꺼짐"))},
    },
    names={"kettle": ("kettle", "주전자")},
)
