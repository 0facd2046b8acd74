"""`pabal relay pair`: a code comes with what to send in KakaoTalk and a QR code of it."""

import pytest

from tests.cli.inside import Inside
from tests.support.relay import RelayWorld

segno = pytest.importorskip("segno")


async def test_a_new_code_is_printed_with_the_text_to_send_and_its_qr_code(run: Inside, world: RelayWorld) -> None:
    made = await run("relay", "pair", "new", "비서", "--for", "5m", "--lang", "ko")

    [text] = [line.strip() for line in made.out.splitlines() if line.strip().startswith("/pair ")]
    [active] = (await run("relay", "pair", "list", "-o", "json")).json["items"]
    assert text == f"/pair {active['code']}"
    assert made.out.count("█") > 100
    assert "카카오톡 채널" in made.err
    await world.say(text, "lee")
    assert (await run("relay", "conv", "show", "b0ts:lee", "-o", "json")).json["state"] == "PAIRED"


async def test_programs_get_the_code_alone(run: Inside, world: RelayWorld) -> None:
    plain = await run("relay", "pair", "new", "비서", "-o", "plain")
    answered = await run("relay", "pair", "new", "비서", "-o", "json")

    listed = {one["code"] for one in (await run("relay", "pair", "list", "-o", "json")).json["items"]}
    assert listed == {plain.out.strip(), answered.json["code"]}


async def test_a_code_that_was_only_tried_is_not_shown(run: Inside, world: RelayWorld) -> None:
    tried = await run("relay", "pair", "new", "비서", "--dry-run")
    json = await run("relay", "pair", "new", "비서", "--dry-run", "-o", "json")

    assert (tried.code, "/pair" in tried.out, "█" in tried.out) == (0, False, False)
    assert json.json["code"] == "••••-••••"
    assert (await run("relay", "pair", "list", "-o", "json")).json["items"] == []


async def test_a_code_is_revoked_however_it_is_typed(run: Inside, world: RelayWorld) -> None:
    code = await world.make_code()

    revoked = await run("relay", "pair", "revoke", code.lower().replace("-", ""), "-o", "json")
    again = await run("relay", "pair", "revoke", code)
    unknown = await run("relay", "pair", "revoke", "ZZZZ-9999")

    assert (revoked.json["code"], revoked.json["state"]) == (code, "revoked")
    assert (again.code, unknown.code) == (5, 3)
    ended = (await run("relay", "pair", "list", "--all", "--account", "비서", "-o", "json")).json["items"]
    assert {one["state"] for one in ended} == {"revoked", "used"}


@pytest.mark.parametrize(("span", "code"), [("30s", 2), ("nonsense", 2), ("2d", 2)])
async def test_a_life_that_no_code_has_is_refused(run: Inside, world: RelayWorld, span: str, code: int) -> None:
    assert (await run("relay", "pair", "new", "비서", "--for", span)).code == code
