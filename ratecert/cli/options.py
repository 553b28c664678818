"""Options that several commands have, and how their values are read; the functions that are called check them."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratecert.base.errors import UserError

VARIANTS = ("printed", "repaired")


def named(text: str) -> str:
    """A paper or a statement that is typed: its file may be run."""
    from ratecert.base.asked import asked

    return asked(text)


def spoken(word: str) -> str:
    """A word as we say it; on a command line not-refuted needs no quotes."""
    return word.replace("-", " ")


def add_papers(command: argparse.ArgumentParser) -> None:
    what = (
        "a paper of your own that the data is about, such as my_paper.py: nothing else that data names is run"
    )
    command.add_argument("--paper", action="append", type=named, metavar="FILE", help=what)


def add_key(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--paper", type=named, metavar="KEY", help=what)


def add_variant(command: argparse.ArgumentParser, what: str = "(default: printed)") -> None:
    command.add_argument("--variant", choices=VARIANTS, default="printed", help=what)


def add_json(command: argparse._ActionsContainer, what: str) -> None:
    command.add_argument("--json", action="store_true", help=f"print {what} as JSON")


def add_search(command: argparse.ArgumentParser, *, budget: int, worlds: str) -> None:
    command.add_argument("--budget", type=int, default=budget, help=worlds)
    command.add_argument("--seed", type=int, default=0, help="seed of the search (default: 0)")
    add_workers(command)


def add_workers(command: argparse.ArgumentParser) -> None:
    command.add_argument("--jobs", type=int, default=None, help="processes (default: one per core)")
    where = "compute on the Dask cluster of this scheduler, not on this machine"
    command.add_argument("--scheduler", metavar="ADDRESS", help=where)


@contextmanager
def workers(options: argparse.Namespace) -> Iterator[int]:
    """How many calls may run at once: `jobs`, or one for each core, or with a scheduler the number of its workers."""
    if options.scheduler is None:
        yield os.cpu_count() or 1 if options.jobs is None else options.jobs
        return
    from ratecert.run import dask

    if options.jobs is not None:
        raise UserError(
            f"jobs counts processes of this machine and scheduler names a cluster, whose workers are all used, got "
            f"jobs = {options.jobs} and scheduler = {options.scheduler!r}; leave one of them out."
        )
    with dask.workers(options.scheduler) as number:
        yield number


def add_out(command: argparse.ArgumentParser, default: str, what: str) -> None:
    command.add_argument("--out", type=Path, default=Path(default), help=f"{what} (default: {default})")


def add_witness(command: argparse.ArgumentParser, nargs: str | None = None, otherwise: str = "") -> None:
    what = f"a TOML file, or the name of a stored one such as theorem-1.printed-noise_u.simple{otherwise}"
    command.add_argument("witness", nargs=nargs, metavar="WITNESS", help=what)
    add_papers(command)
