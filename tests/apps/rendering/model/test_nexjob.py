import json
from dataclasses import replace
from typing import Any

import pytest

from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.gfx import parse
from pabal.apps.rendering.model.mapping import Assigned, assign
from pabal.apps.rendering.model.nexjob import build, content_of

COMPOSITION = Composition("mini", "_MAIN Mini Chip Count", "D:/templates/cyprus design.aep")
MAPPINGS = [
    FieldMapping("mini", "Slot 1 - name", "Name 1"),
    FieldMapping("mini", "Slot 1 - stack", "Stack 1"),
    FieldMapping("mini", "Slot 2 - name", "Name 2"),
]
GFX: dict[str, Any] = {
    "slots": [{"slot_number": 1, "fields": {"name": "PHIL IVEY", "stack": 250}}],
    "flags": ["D:/assets/flags/United States.png", "E:/other/United States.png"],
    "actions": [
        {"type": "expression", "params": {"layerName": "Clock", "property": "timeRemaining", "value": "time * 1000"}}
    ],
}


def assigned(data: dict[str, Any] | None = None) -> Assigned:
    return assign(parse(GFX if data is None else data), COMPOSITION, MAPPINGS)


@pytest.mark.req("B-32", "B-33", "B-34", "B-35", "B-43")
def test_the_job_is_the_one_nexrender_really_reads():
    job = build("rq-42-a1", COMPOSITION, assigned(), output="D:/output/job_42.mp4")

    assert job == {
        "uid": "rq-42-a1",
        "template": {
            "src": "file:///D:/templates/cyprus%20design.aep",
            "name": "cyprus design.aep",
            "composition": "_MAIN Mini Chip Count",
            "outputModule": "H.264 - Match Render Settings - 15 Mbps",
            "outputExt": "mp4",
        },
        "assets": [
            {"type": "data", "layerName": "Name 1", "property": "Source Text", "value": "PHIL IVEY"},
            {"type": "data", "layerName": "Stack 1", "property": "Source Text", "value": "250"},
            {"type": "data", "layerName": "Name 2", "property": "Source Text", "value": ""},
            {
                "type": "image",
                "layerName": "Flag 1",
                "src": "file:///D:/assets/flags/United%20States.png",
                "name": "asset-4.png",
            },
            {
                "type": "image",
                "layerName": "Flag 2",
                "src": "file:///E:/other/United%20States.png",
                "name": "asset-5.png",
            },
            {"type": "data", "layerName": "Clock", "property": "timeRemaining", "expression": "time * 1000"},
        ],
        "actions": {
            "postrender": [
                {"module": "@nexrender/action-copy", "input": "result.mp4", "output": "D:/output/job_42.mp4"},
            ]
        },
    }
    assert json.loads(json.dumps(job)) == job


def test_another_extension_is_asked_for_and_copied():
    job = build("rq-1-a1", replace(COMPOSITION, output_ext="mov"), assigned(), output="D:/output/job_1.mov")

    assert job["template"]["outputExt"] == "mov"
    assert job["actions"]["postrender"][0]["input"] == "result.mov"


def test_files_never_share_a_name_in_nexrenders_folder():
    names = [
        asset["name"] for asset in build("u", COMPOSITION, assigned(), output="D:/o.mp4")["assets"] if "name" in asset
    ]

    assert len(names) == len(set(names)) == 2


def digest(
    data: dict[str, Any] | None = None,
    composition: Composition = COMPOSITION,
    version: str = "v1",
    files: tuple[str, ...] = ("template: 1",),
) -> str:
    return content_of(composition, assigned(data), template_version=version, files=files)


def test_the_same_content_has_the_same_hash_however_it_is_written():
    same: dict[str, Any] = {
        "composition_name": COMPOSITION.name,
        "flag_fields": {"2": GFX["flags"][1], "1": GFX["flags"][0]},
        "slots": [{"fields": {"stack": "250", "name": "PHIL IVEY", "nickname": "not shown"}}],
        "actions": GFX["actions"],
    }

    assert digest(same) == digest()


@pytest.mark.parametrize(
    "changed",
    [
        digest({**GFX, "slots": [{"fields": {"name": "PHIL IVEY", "stack": 251}}]}),
        digest({**GFX, "flags": GFX["flags"][:1]}),
        digest({**GFX, "actions": []}),
        digest(version="v2"),
        digest(files=("template: 2",)),
        digest(composition=replace(COMPOSITION, name="Other")),
        digest(composition=replace(COMPOSITION, template_src="D:/templates/other.aep")),
        digest(composition=replace(COMPOSITION, output_module="Lossless")),
        digest(composition=replace(COMPOSITION, width=1280)),
    ],
)
def test_other_content_another_template_or_composition_has_another_hash(changed: str):
    assert changed != digest()
