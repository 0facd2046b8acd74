"""The description of the endpoints, and the page made of it."""

import re

from fastapi import FastAPI

from pabal import api
from pabal.platform.web import openapi
from pabal.platform.web.openapi import example_of, list_problems, make_schema, operations_of
from tests.support.web import Web


def described() -> dict[str, object]:
    app = FastAPI(docs_url=None, openapi_url=None)
    app.include_router(api.router)
    return make_schema(app)


def test_every_operation_has_a_name_a_sentence_and_its_problems():
    schema = described()
    found = list(operations_of(schema))

    names = [one["operationId"] for _, _, one in found]
    assert len(names) == len(set(names)) > 80
    for path, method, one in found:
        assert re.fullmatch(r"[A-Z][^\n]{10,150}", one["summary"], re.DOTALL), (path, method, one["summary"])
        assert one["tags"], path
        assert {"HTTPBearer": []} in one["security"], path
        assert {"400", "401", "403", "503"} <= set(one["responses"]), path
    assert schema["openapi"] == "3.1.0"


def test_bodies_and_answers_have_examples():
    for path, method, one in operations_of(described()):
        contents = list(one.get("requestBody", {}).get("content", {}).items())
        contents += [pair for answer in one["responses"].values() for pair in answer.get("content", {}).items()]
        bare = [media for media, content in contents if media == "application/json" and "example" not in content]
        assert bare == [], (path, method)


def test_names_of_operations_do_not_change():
    """Generated clients call them: renaming one is a change of the API."""
    names = {one["operationId"] for _, _, one in operations_of(described())}

    assert {"list_jobs", "get_job", "cancel_job", "retry_job", "act_on_many", "trigger_schedule", "explain"} <= names
    assert {"follow_facts", "list_audit", "make_token", "change_setting", "upload_file", "get_health"} <= names


def test_an_example_follows_its_model():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "examples": ["x"]},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"type": "array", "items": {"$ref": "#/components/schemas/C"}},
            "d": {"type": "string", "format": "date-time"},
        },
    }

    made = example_of(schema, {"C": {"enum": ["red", "green"]}})

    assert made == {"a": "x", "b": 1, "c": ["red"], "d": "2026-07-03T00:00:00Z"}


async def test_the_page_lists_every_operation_and_needs_nothing_from_elsewhere(web: Web):
    nobody = await web.anybody()

    page = await nobody.get("/docs")
    schema = await nobody.get("/openapi.json")

    assert page.status_code == schema.status_code == 200
    for _, _, one in operations_of(schema.json()):
        assert f'id="{one["operationId"]}"' in page.text
    assert re.findall(r'(?:src|href)="(?:https?:)?//', page.text) == []
    assert "<script>" not in page.text
    assert re.search(r"<[^>]+\son\w+=", page.text) is None


async def test_every_code_has_its_place_in_both_languages(web: Web):
    page = (await (await web.anybody()).get("/docs/problems")).text

    for one in list_problems():
        assert f'id="{one.code}"' in page
    assert "로그인이 필요합니다" in page
    assert "You are not signed in" in page


async def test_a_problems_type_leads_to_its_explanation(web: Web):
    nobody = await web.anybody()
    path, _, code = (await nobody.get("/api/v1/jobs")).json()["type"].partition("#")

    page = await nobody.get(path)

    assert f'id="{code}"' in page.text


def test_the_schema_is_made_once():
    app = FastAPI(docs_url=None, openapi_url=None)
    app.include_router(api.router)

    assert openapi.schema_of(app) is openapi.schema_of(app)
