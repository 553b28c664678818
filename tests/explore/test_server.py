"""The server: this machine only, GET only, nothing of a request executed, refusals as sentences."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from ratecert.cli.main import main
from ratecert.errors import UserError
from ratecert.explore import server
from ratecert.explore.presets import first, named
from ratecert.explore.server import CONNECTIONS, HOST, Handler, Server, served
from ratecert.explore.state import read, usual


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    listening = served(0)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield listening.server_address[1]
    listening.shutdown()
    listening.server_close()
    thread.join()


def get(port: int, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(HOST, port, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_it_listens_on_this_machine_only(port: int) -> None:
    listening = served(0)
    assert listening.server_address[0] == "127.0.0.1"
    listening.server_close()


@pytest.mark.parametrize(
    "path", ["/", "/page.css", "/page.js", "/chart.js", "/controls.js", "/tables.js", "/presets"]
)
def test_the_page_needs_nothing_from_elsewhere(port: int, path: str) -> None:
    response, body = get(port, path)
    assert response.status == 200
    text = body.decode().replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in text
    assert "https://" not in text
    assert "default-src 'none'" in str(response.headers["Content-Security-Policy"])


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/", "GET", {"Host": "evil.example"}, 403),
        ("/answer", "GET", {"Host": "evil.example"}, 403),
        ("/../../etc/passwd", "GET", {}, 404),
        ("/page.html", "GET", {}, 404),
        ("/answer", "POST", {}, 501),
        ("/answer", "DELETE", {}, 501),
    ],
)
def test_everything_else_is_refused(port: int, path: str, method: str, headers: Any, status: int) -> None:
    assert get(port, path, method, **headers)[0].status == status


def test_an_answer_comes_as_json_and_a_refusal_as_a_sentence(port: int) -> None:
    query = usual("SGD", T=64).query
    found = json.loads(get(port, f"/answer?{query}")[1])
    assert found["query"] == query
    refused = json.loads(get(port, f"/answer?{query}&K=4")[1])
    assert refused == {"refused": "'K' is given twice in the link; keep one of them."}
    code = json.loads(get(port, "/answer?show=SGD&alpha=__import__('os').abort()")[1])
    assert code["refused"].startswith("alpha must be a number from 1e-18 to 10^8, got \"__import__('os')")


def test_presets_are_grouped_by_paper_and_opened_at_a_length_that_shows_what_breaks(port: int) -> None:
    groups = json.loads(get(port, "/presets")[1])["presets"]
    title, options = next(iter(groups.items()))
    assert title.startswith("On the Convergence of Momentum-Based Algorithms")
    assert options[0] == ["theorem-1, printed-G, simple: counterexample", named("theorem-1.printed-G").query]
    assert ["theorem-2: usual numbers", named("theorem-2.repaired").query] in options
    assert json.loads(get(port, f"/begin?{options[0][1]}")[1])["query"] == first().query
    assert "K must be" in json.loads(get(port, "/begin?show=SGD&K=0")[1])["refused"]


def test_a_bug_is_told_apart_from_a_mistake(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> Any:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(server, "answer", broken)
    response, body = get(port, f"/answer?{usual('SGD', T=65).query}")
    assert response.status == 500
    assert body == b"a bug in ratecert, no mistake of yours: ZeroDivisionError: by zero\n"
    assert get(port, "/answer?K=0")[0].status == 200


def test_who_says_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    monkeypatch.setattr(Handler, "timeout", 0.2)
    with socket.create_connection((HOST, port), timeout=10) as silent:
        assert silent.recv(1) == b""


def test_connections_beyond_the_most_are_closed_and_those_before_are_served(port: int) -> None:
    held = [socket.create_connection((HOST, port), timeout=10) for _ in range(CONNECTIONS)]
    with socket.create_connection((HOST, port), timeout=10) as one_more:
        assert one_more.recv(1) == b""
    held[0].sendall(f"GET /page.css HTTP/1.0\r\nHost: {HOST}:{port}\r\n\r\n".encode())
    assert held[0].recv(15) == b"HTTP/1.0 200 OK"
    for each in held:
        each.close()
    assert any(served_again(port) for _ in range(100))


def served_again(port: int) -> bool:
    """Once a thread has seen that its browser has gone."""
    try:
        return get(port, "/page.css")[0].status == 200
    except ConnectionError:
        time.sleep(0.1)
        return False


def test_the_point_can_be_taken_away(port: int) -> None:
    query = usual("SGD", T=64).query
    assert json.loads(get(port, f"/answer?{query}")[1])["python"].startswith("import ratecert as rc")


def test_a_port_that_is_taken_is_refused_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        number = taken.getsockname()[1]
        with pytest.raises(UserError, match="choose another with --port"):
            served(number)
        assert main(["explore", "--no-open", "--port", str(number)]) == 2
    assert "choose another with --port" in capsys.readouterr().err
    assert main(["explore", "--no-open", "--port", "99999999"]) == 2


def test_the_command_begins_at_a_claim(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: Server) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", interrupted)
    assert main(["explore", "theorem-3.repaired", "--no-open"]) == 0
    assert not [
        each.name for each in threading.enumerate() if "(warm)" in each.name
    ]  # it would change precisions
    address = capsys.readouterr().out.split("is at ")[1].split(";")[0]
    assert read(urlsplit(address).query, "LocalBSGM") == named("theorem-3.repaired")
    assert main(["explore", "theorem-33", "--no-open"]) == 2
    assert "theorem-3" in capsys.readouterr().err
