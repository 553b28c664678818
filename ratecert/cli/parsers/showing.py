"""`ratecert demo` and `explore`."""

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
    from ratecert.catalogue.find import part_with
    from ratecert.solvers.engines.engine_choice import preferred_engine

    with preferred_engine(options.engine):
        return int(
            part_with("demonstration", options.paper).demonstrate(
                out=options.out, seed=options.seed, replicates=options.replicates
            )
        )


def _explore(options: argparse.Namespace) -> int:
    from ratecert.cli.explore import explore

    return explore(name=options.name, port=options.port, open_page=not options.no_open)
