"""A run of `ratecert verify` that somebody watches, in a terminal of its own: the bar, and Ctrl-C."""

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

pty = pytest.importorskip("pty", reason="Windows has no terminals of this kind")
LONGER = "communication-period.rounds-to-eps"  # of seconds, so that it can be interrupted
PATIENCE = 300  # seconds after which a run that says nothing is given up


def watched(out, *arguments, interrupt_at=""):
    """Exit code, and all that was shown; Ctrl-C once this was seen."""
    run = ["verify", *arguments, "--quick", "--jobs", "1", "--out", str(out)]
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # also where the tests run in the background
    code = f"import signal, sys; {heard}; from ratecert.cli.main import main; raise SystemExit(main(sys.argv[1:]))"
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *run],
        **dict.fromkeys(("stdin", "stdout", "stderr"), theirs),
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        start_new_session=True,
    )
    os.close(theirs)
    shown, begin = b"", time.monotonic()
    while time.monotonic() - begin < PATIENCE:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:  # Linux says so when the other end has gone
                break
            if not more:
                break
            shown += more
            if interrupt_at and re.search(interrupt_at, plain(shown.decode(errors="replace"))):
                os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does, to all in the foreground
                interrupt_at = ""
    os.close(terminal)
    return process.wait(), shown.decode()


def plain(shown):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


@pytest.mark.nightly
def test_the_bar_names_the_claim_and_the_count(tmp_path):
    code, shown = watched(tmp_path, "parallel-sgd:sgd-descent")
    text = plain(shown)
    assert code == 0
    assert text.index("verify: reading the claims") < text.index("0:00:00")  # before what is slow to import
    assert re.search(r"\d+/\d+ 0:00:\d\d parallel-sgd:sgd-descent", text)
    assert "\x1b[36mnot refuted" in shown
    assert "parallel-sgd:sgd-descent: not refuted" in text


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    code, shown = watched(tmp_path, LONGER, interrupt_at=r" [1-9]\d*/\d+ 0:")
    assert code == 130
    assert plain(shown).rstrip().endswith("ratecert: interrupted; the same command goes on from here")
    assert "Traceback" not in shown
    assert not (tmp_path / "results.json").exists()
    assert watched(tmp_path, LONGER)[0] == 0
    tasks = re.search(r"(\d+) computed, (\d+) stored", (tmp_path / "run.json").read_text("utf-8"))
    assert tasks
    assert int(tasks[1]) > 0 < int(tasks[2])
