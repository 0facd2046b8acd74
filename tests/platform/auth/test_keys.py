from pabal.platform.auth.keys import csrf_of, digest, is_same, new_secret


def test_each_secret_is_another_and_has_256_bits():
    made = {new_secret("pbl_") for _ in range(100)}

    assert len(made) == 100
    assert all(secret.startswith("pbl_") and len(secret) == 4 + 43 for secret in made)


def test_a_form_token_belongs_to_one_session_key_and_does_not_show_it():
    assert csrf_of("one") == csrf_of("one") != csrf_of("two")
    assert csrf_of("one") != digest("one").hex()


def test_secrets_are_compared_whatever_a_stranger_sends():
    assert is_same("한", "한")
    assert not is_same("\ud800", "한")
    assert len(digest("\ud800")) == 32
