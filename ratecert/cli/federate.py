"""`ratecert federate`: starts the devices, or is one of them, and shows what was found."""

import json
import sys
from collections.abc import Callable, Sequence

from rich.table import Table

from ratecert.base.lists import as_text
from ratecert.base.terminal import echo
from ratecert.federate.device_process import run_as_device
from ratecert.federate.experiment import FederatedRun
from ratecert.federate.findings import TOLERANCE, Findings
from ratecert.federate.launching import launch, mpiexec, rank_given, require_mpi
from ratecert.solvers.engines.federation import Traffic


def federate(experiment: FederatedRun, *, as_json: bool) -> int:
    """1 if the devices did something else than the simulator. Of a mistake, only rank 0 speaks."""
    given = rank_given()
    try:
        setting = experiment.setting()
        require_mpi()
        if given is None:
            again = [*experiment.arguments(), *(["--json"] if as_json else [])]
            return launch(mpiexec(), experiment.K, [sys.executable, "-m", "ratecert", "federate", *again])
        return run_as_device(
            setting, seed=experiment.seed, replicates=experiment.replicates, show=shower(experiment, as_json)
        )
    except ValueError:
        if given:
            return 0
        raise


def shower(experiment: FederatedRun, as_json: bool) -> Callable[[Findings], int]:
    def shown(found: Findings) -> int:
        echo(
            json.dumps(as_object(experiment, found), indent=2) + "\n" if as_json else text(experiment, found)
        )
        return 0 if found.agree else 1

    return shown


def text(experiment: FederatedRun, found: Findings) -> str:
    table = Table(
        title=f"{experiment.solver} on {experiment.K} device{'s' * (experiment.K > 1)}, one process each, "
        f"world {experiment.name_of_world}, seed {experiment.seed}"
    )
    for name in ("t", *found.names):
        table.add_column(name, justify="right", no_wrap=True)
    for t, measures in zip(found.t, found.measures, strict=True):
        table.add_row(str(t), *(f"{value:.6e}" for value in measures))
    lines = [
        f"path       {found.steps} steps; largest relative difference from the simulator: {found.difference:.1e}"
        f" ({'equal' if found.path_agrees else 'NOT equal'} to {TOLERANCE:g})",
        f"rounds     {found.traffic[0].rounds} on the wire, {found.definition[0].rounds} by definition",
        f"floats     {floats_sent(found)}",
    ]
    if not found.counts_agree:
        lines.append(f"the counts differ; those of the devices in turn: {found.traffic}")
    return as_text(table) + "".join(f"{line}\n" for line in lines)


def floats_sent(found: Findings) -> str:
    """Of all devices at once, unless they send different numbers: as they do where they are drawn."""
    if same(found.definition):
        sent, defined = found.traffic[0].floats_sent, found.definition[0].floats_sent
        return f"{sent} sent by each device, {defined} by definition"
    wire, definition = (
        ", ".join(str(own.floats_sent) for own in each) for each in (found.traffic, found.definition)
    )
    return f"{wire} sent by the devices in turn, {definition} by definition"


def same(traffic: Sequence[Traffic]) -> bool:
    return all(own == traffic[0] for own in traffic)


def as_object(experiment: FederatedRun, found: Findings) -> dict[str, object]:
    defined = [own.floats_sent for own in found.definition]
    return {
        "solver": experiment.solver,
        "devices": experiment.K,
        "iterations": experiment.T,
        "seed": experiment.seed,
        "replicates": experiment.replicates,
        "world": experiment.name_of_world,
        "set": list(experiment.changes),
        "t": found.t,
        **dict(zip(found.names, found.measures.T.tolist(), strict=True)),
        "steps": found.steps,
        "difference": found.difference,
        "tolerance": TOLERANCE,
        "rounds": {"wire": [own.rounds for own in found.traffic], "definition": found.definition[0].rounds},
        "floats_sent": {
            "wire": [own.floats_sent for own in found.traffic],
            "definition": defined[0] if same(found.definition) else defined,
        },
        "agree": found.agree,
    }
