import base64
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pabal.platform.secrets import BadSecretKey, CannotUnseal, Vault

OLD, NEW = "the key of last year", "the key of this year"


def test_what_is_sealed_opens_again_and_does_not_show_what_it_holds():
    vault = Vault(NEW)

    sealed = vault.seal("토큰 123:abc")

    assert vault.open(sealed) == "토큰 123:abc"
    assert b"123:abc" not in base64.urlsafe_b64decode(sealed)
    assert vault.seal("토큰 123:abc") != sealed


def test_after_a_rotation_old_secrets_open_and_new_ones_need_the_new_key():
    sealed = Vault(OLD).seal("secret")

    rotated = Vault(f"{NEW}, {OLD}")

    assert rotated.open(sealed) == "secret"
    assert Vault(NEW).open(rotated.seal("secret")) == "secret"


def test_another_key_opens_nothing_and_says_what_to_do():
    sealed = Vault(OLD).seal("secret")

    with pytest.raises(CannotUnseal, match="Add the earlier key behind a comma") as raised:
        Vault(NEW).open(sealed)

    assert raised.value.code == "cannot_unseal"
    assert sealed not in str(raised.value)


@pytest.mark.parametrize("damaged", ["", "no token at all", "gAAAAA"])
def test_what_is_no_sealed_text_is_named_too(damaged: str):
    with pytest.raises(CannotUnseal):
        Vault(NEW).open(damaged)


@pytest.mark.parametrize("keys", ["", " , ", "short", f"{NEW},short"])
def test_a_missing_or_short_key_is_refused_and_not_repeated(keys: str):
    with pytest.raises(BadSecretKey) as raised:
        Vault(keys)

    assert "short" not in str(raised.value)


def test_a_vault_shows_nothing_of_its_key():
    assert repr(Vault(NEW)) == "Vault(…)"


def test_a_key_file_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path):
    path = tmp_path / "data" / "secret.key"

    sealed = Vault.from_file(path).seal("secret")

    assert Vault.from_file(path).open(sealed) == "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in path.parent.iterdir()] == ["secret.key"]


def test_processes_that_start_together_use_the_same_key(tmp_path: Path):
    path = tmp_path / "secret.key"

    with ThreadPoolExecutor(8) as pool:
        vaults = list(pool.map(lambda _: Vault.from_file(path), range(8)))

    assert {vault.open(vaults[0].seal("secret")) for vault in vaults} == {"secret"}
