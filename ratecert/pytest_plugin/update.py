"""--rate-update: the process that the user started writes the records at the end, and says what has changed.

Tests may run in several processes (xdist). What a test has measured travels with the report on it, which reaches that
one process however the others end; so no two write at the same time, and nothing is lost. Only tests that pass are
recorded.

A record is stale, and removed, where no test measures it any more:

    its test file is gone;
    its test has passed and has not measured it;
    its test file was collected whole, and the test is not among what was found.

Tests that are deselected, skipped or failed, and files that are not collected, keep their records.
"""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from ratecert.base.errors import BaselineError
from ratecert.pytest_plugin.fixture import MEASURED
from ratecert.pytest_plugin.records import (
    Entry,
    as_entry,
    as_record,
    baseline_for,
    belongs,
    key_of,
    name_of,
    read,
    write,
)

Test = tuple[str, str]  # the file and the name


class Updating:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.collected: set[Test] = set()
        self.passed: dict[Test, dict[str, Entry]] = {}
        self.lines: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """First, so that -k and its like have not yet taken anything away."""
        self.collected |= {(str(item.path), name_of(item)) for item in items}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" and report.passed:
            records = {key: as_record(entry) for key, entry in item.stash.get(MEASURED, {}).items()}
            vars(report)["rates"] = [str(item.path), name_of(item), records]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "rates" in vars(report):
            file, test, records = vars(report)["rates"]
            self.passed[file, test] = {key: as_entry(record) for key, record in records.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of xdist has collected; all collect the same, and one that broke down says nothing."""
        found = getattr(node, "workeroutput", {}).get("rates_collected", [])
        self.collected |= {(file, test) for file, test in found}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = vars(self.config).get("workeroutput")
        if output is not None:
            output["rates_collected"] = sorted(self.collected)
            return
        files = {Path(file) for file, _ in self.collected | set(self.passed)}
        for baseline in sorted({baseline_for(self.config, file) for file in files}):
            try:
                self.lines += self._update(baseline)
            except (BaselineError, OSError) as error:
                self.lines.append(f"not recorded: {error}")
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.section("rates")
        for line in self.lines or ["nothing was measured, nothing is recorded"]:
            terminalreporter.line(line)

    def _update(self, baseline: Path) -> Iterable[str]:
        old = read(baseline)
        mine = [m for (f, _), m in self.passed.items() if baseline_for(self.config, Path(f)) == baseline]
        measured = {key: entry.rounded() for entries in mine for key, entry in entries.items()}
        stale = self._stale(baseline, set(old) - set(measured))
        new = {key: entry for key, entry in (old | measured).items() if key not in stale}
        if new != old:
            baseline.parent.mkdir(parents=True, exist_ok=True)
            write(baseline, new)
        for key in sorted(set(old) | set(new)):
            if key in stale:
                yield f"removed    {key}: {old[key]}, which no test measures any more"
            elif key not in old:
                yield f"recorded   {key}: {new[key]}"
            elif old[key] != new[key]:
                yield f"changed    {key}: {old[key]} -> {new[key]}"
            elif key in measured:
                yield f"unchanged  {key}: {old[key]}"

    def _stale(self, baseline: Path, keys: set[str]) -> set[str]:
        def owned(key: str, tests: Iterable[Test]) -> bool:
            return any(belongs(key, key_of(baseline, Path(file), test)) for file, test in tests)

        def is_stale(key: str) -> bool:
            file = baseline.parent / key.partition("::")[0]
            if not file.exists() or owned(key, self.passed):
                return True
            found = {(f, test) for f, test in self.collected if Path(f).samefile(file)}
            return bool(found) and self._whole() and not owned(key, found)

        return {key for key in keys if is_stale(key)}

    def _whole(self) -> bool:
        """Whether files were collected whole; `file::test` and --last-failed take parts of them."""
        parts = any("::" in argument for argument in self.config.args)
        return not parts and not self.config.getoption("lf", False)
