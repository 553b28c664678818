"""`ratecert demo`, `gallery`, `federate` and `explore`."""

import argparse
from pathlib import Path
from typing import Any

from ratecert.cli.parsers.options import add_engine, add_paper, add_papers, named


def add(commands: Any) -> None:
    _add_demo(
        commands.add_parser(
            "demo", help="the algorithms of a paper on one world against the truth: a table and a figure"
        )
    )
    _add_gallery(commands.add_parser("gallery", help="one figure per world: what is special about it"))
    _add_federate(commands.add_parser("federate", help="an algorithm with one process per device, by MPI"))
    _add_explore(commands.add_parser("explore", help="sliders and exact curves, on a page of this machine"))


def _add_demo(demo: argparse.ArgumentParser) -> None:
    demo.epilog = (
        "Exits with 1 if the samples contradict the exact expectation (|z| > 5; judged from 256 runs on)."
    )
    demo.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for table and figure (default: results)"
    )
    demo.add_argument("--seed", type=int, default=0, help="seed of the samples (default: 0)")
    demo.add_argument("--replicates", type=int, default=256, help="runs per setting (default: 256)")
    add_paper(demo)
    add_engine(demo)
    demo.set_defaults(run=_demo)


def _add_gallery(gallery: argparse.ArgumentParser) -> None:
    gallery.add_argument("names", nargs="*", metavar="WORLD", help="which worlds (default: all)")
    gallery.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for the figures (default: results)"
    )
    gallery.set_defaults(run=_gallery)


def _add_federate(federate: argparse.ArgumentParser) -> None:
    federate.description = (
        "Runs the algorithm with one process per device, whose averages go through MPI, and holds the path and the "
        "counts against the simulator's for the same seed. Starts mpiexec itself, unless mpiexec has started it."
    )
    federate.epilog = "Exits with 0 if path and counts agree, with 1 if not or if a device dies."
    federate.add_argument("solver", metavar="SOLVER", help="such as LocalBSGM, FedNest or FedAvg")
    federate.add_argument("--devices", type=int, required=True, metavar="K", help="processes, one per device")
    federate.add_argument("--iterations", type=int, default=256, metavar="T", help="(default: 256)")
    federate.add_argument("--seed", type=int, default=0, help="seed of the samples (default: 0)")
    federate.add_argument("--replicates", type=int, default=1, help="runs side by side (default: 1)")
    federate.add_argument(
        "--world",
        metavar="WORLD",
        help="random_quadratic, heterogeneous, wavy or single_level (default: random_quadratic; single_level for STEM) "
        "on two levels; federated, single_level, finite_sum or federated_sums (default: federated; finite_sum for SAGA)"
        " on one",
    )
    federate.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a hyperparameter, such as p=8; may be repeated",
    )
    federate.add_argument("--json", action="store_true", help="print an object as JSON")
    federate.set_defaults(run=_federate)


def _add_explore(explore: argparse.ArgumentParser) -> None:
    explore.description = (
        "Serves a page on 127.0.0.1: pick a method or a theorem, move its numbers, and see exact curves, the bound and "
        "its terms. Nothing leaves this machine, and nothing that a request says is executed."
    )
    explore.add_argument(
        "name",
        nargs="?",
        type=named,
        metavar="NAME",
        help="begin at a claim, a statement or a counterexample: at-rest.rounds, fedavg:theorem-1, "
        "theorem-1.printed-G.simple, a witness by its path; or a paper of your own: my_paper.py, my_paper.py:theorem-1",
    )
    explore.add_argument("--port", type=int, default=0, help="(default: any that is free)")
    explore.add_argument("--no-open", action="store_true", help="print the address, and open no browser")
    add_papers(explore)
    explore.set_defaults(run=_explore)


def _demo(options: argparse.Namespace) -> int:
    from ratecert.registry import part_with
    from ratecert.solvers.engines.engine_choice import preferred_engine

    with preferred_engine(options.engine):
        return int(
            part_with("demonstration", options.paper).demonstrate(
                out=options.out, seed=options.seed, replicates=options.replicates
            )
        )


def _gallery(options: argparse.Namespace) -> int:
    from ratecert.cli.gallery import draw_gallery

    return draw_gallery(out=options.out, names=options.names)


def _federate(options: argparse.Namespace) -> int:
    from ratecert.cli.federate import federate
    from ratecert.federate.experiment import FederatedRun

    experiment = FederatedRun(
        solver=options.solver,
        K=options.devices,
        T=options.iterations,
        seed=options.seed,
        replicates=options.replicates,
        world=options.world,
        changes=tuple(options.set),
    )
    return federate(experiment, as_json=options.json)


def _explore(options: argparse.Namespace) -> int:
    from ratecert.cli.explore import explore

    return explore(name=options.name, port=options.port, open_page=not options.no_open)
