"""`pabal sim`: a stand-in that really answers."""

import json
import socket
import urllib.request

from tests.support.cli import Cli


def test_the_telegram_stand_in_takes_messages_and_stops_well(cli: Cli) -> None:
    with cli.running("sim", "telegram", "--port", "0") as simulator:
        url = simulator.wait_for_url()
        body = json.dumps({"chat_id": "42", "text": "hello"}).encode()
        request = urllib.request.Request(
            f"{url}/bot123456789:AA-a-token-of-some-length/sendMessage", body, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            is_ok = json.load(answer)["ok"]
        with urllib.request.urlopen(f"{url}/sent", timeout=30) as answer:
            sent = answer.read().decode()
        code = simulator.stop()

    assert (is_ok, "hello" in sent, code) == (True, True, 0)


def test_a_taken_port_is_named(cli: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        told = cli("sim", "telegram", "--port", str(taken.getsockname()[1]))

    assert (told.code, "port_taken" in told.err) == (6, True)
