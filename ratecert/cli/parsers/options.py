"""Options that several commands have."""

import argparse


def named(text: str) -> str:
    """A paper or a statement that is typed: its file may be run."""
    from ratecert.base.asked import asked

    return asked(text)


def add_papers(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--paper",
        action="append",
        type=named,
        metavar="FILE",
        help="a paper of your own that the data is about, such as my_paper.py: nothing else that data names is run",
    )


def add_engine(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--engine",
        choices=("auto", "numpy", "numba"),
        default="auto",
        help="what samples; auto takes numba where it is installed and the work is long (default: auto)",
    )


def add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--jobs", type=int, default=None, help="processes (default: one per core)")
    command.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="compute on the Dask cluster of this scheduler, not on this machine",
    )


def add_variant(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--variant",
        choices=("printed", "repaired"),
        default="printed",
        help="the paper to the letter, or with its errata applied (default: printed)",
    )
    command.add_argument(
        "--paper",
        type=named,
        metavar="KEY",
        help="which paper (default: the one with the statement, or the first)",
    )


def add_paper(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--paper", type=named, metavar="KEY", help="which paper (default: the first that has it)"
    )


def add_witness(command: argparse.ArgumentParser, nargs: str | None = None, otherwise: str = "") -> None:
    command.add_argument(
        "witness",
        nargs=nargs,
        metavar="WITNESS",
        help=f"a TOML file, or the name of a kept one such as theorem-1.printed-noise_u.simple{otherwise}",
    )
    add_papers(command)
