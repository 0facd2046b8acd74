"""The job as nexrender really reads it. No secret is part of it: people see it on the job's page. Pure."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pabal.apps.rendering.model.compositions import Composition
from pabal.apps.rendering.model.file_urls import extension_of, file_name, file_url
from pabal.apps.rendering.model.mapping import Assigned, LayerAsset

COPY = "@nexrender/action-copy"


def build(uid: str, composition: Composition, assigned: Assigned, *, output: str) -> dict[str, Any]:
    """`output` is the path the worker copies the finished file to: nexrender deletes what is not copied."""
    copy = {"module": COPY, "input": f"result.{composition.output_ext}", "output": output}
    return {
        "uid": uid,
        "template": _template(composition),
        "assets": [_asset(asset, place) for place, asset in enumerate(assigned.assets, 1)],
        "actions": {"postrender": [copy]},
    }


def content_of(
    composition: Composition, assigned: Assigned, *, template_version: str, files: Sequence[str] = ()
) -> str:
    """Equal for renders that must look the same: the composition, the content of every layer, the template as of now.
    What is not shown (unmapped fields) and the composition's id make no difference. `files` says which template and
    pictures are behind the paths. It holds the data of players: only a fingerprint of it is kept."""
    facts = asdict(composition)
    for name in ("id", "text_limits", "flag_path_template", "duration_seconds", "duration_tolerance"):
        del facts[name]
    layers = sorted((one.layer_name, one.property, one.kind, one.value) for one in assigned.assets)
    whole = {"composition": facts, "layers": layers, "template": template_version, "files": list(files)}
    return json.dumps(whole, ensure_ascii=False, sort_keys=True)


def _template(composition: Composition) -> dict[str, str]:
    """Without `name` core looks for the source's folders inside its work folder (1.63.3); without `outputExt` it
    expects an .avi."""
    return {
        "src": file_url(composition.template_src),
        "name": file_name(composition.template_src),
        "composition": composition.name,
        "outputModule": composition.output_module,
        "outputExt": composition.output_ext,
    }


def _asset(asset: LayerAsset, place: int) -> dict[str, str]:
    if asset.kind == "image":
        # numbered: core puts all files into one folder, where two of one name would overwrite each other
        name = f"asset-{place}{extension_of(asset.value)}"
        return {"type": "image", "layerName": asset.layer_name, "src": file_url(asset.value), "name": name}
    content = "expression" if asset.kind == "expression" else "value"
    return {"type": "data", "layerName": asset.layer_name, "property": asset.property, content: asset.value}
