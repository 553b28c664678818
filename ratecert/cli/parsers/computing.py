"""`ratecert expect` and `completion`."""

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    _add_expect(commands.add_parser("expect", help="exact expectations of a method on a world"))
    _add_completion(commands.add_parser("completion", help="a script that completes commands in your shell"))


def _add_expect(expect: argparse.ArgumentParser) -> None:
    expect.description = (
        "Computes what rc.expect computes: the measures of a method on a world, averaged over t < T and at T, without "
        "sampling. Names and letters are those of rc.methods and rc.worlds; devices start at x0 = (1, ..., 1) and "
        "y0 = y*(x0) unless they are told otherwise."
    )
    expect.epilog = (
        "Such as: ratecert expect SGD --world single_level spectrum=1,4 s=0.5 --set alpha=1/8 K=8 T=2^20"
    )
    expect.add_argument("method", metavar="METHOD", help="such as LocalBSGM, FedAvg or SVRG")
    expect.add_argument(
        "--world",
        nargs="+",
        required=True,
        metavar=("NAME", "LETTER=VALUE"),
        help="such as scalar s_f=0.5, or single_level spectrum=1,4",
    )
    expect.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="LETTER=VALUE",
        help="letters of the method, and T, K (default: 1), x0, y0; may be repeated",
    )
    expect.add_argument("--certified", action="store_true", help="enclose every measure rigorously")
    expect.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the curves into FILE.svg, .png or .pdf"
    )
    expect.add_argument("--json", action="store_true", help="print an object as JSON")
    expect.set_defaults(run=_expect)


def _add_completion(completion: argparse.ArgumentParser) -> None:
    completion.description = "Prints a script that completes commands, options and their choices."
    completion.epilog = (
        'bash: eval "$(ratecert completion bash)" in ~/.bashrc; zsh: write it to a file _ratecert in a folder of '
        "$fpath; fish: ratecert completion fish > ~/.config/fish/completions/ratecert.fish"
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    completion.set_defaults(run=_completion)


def _expect(options: argparse.Namespace) -> int:
    from ratecert.cli.expect import print_expected

    return print_expected(
        options.method,
        world=options.world,
        settings=options.set,
        certified=options.certified,
        plot=options.plot,
        as_json=options.json,
    )


def _completion(options: argparse.Namespace) -> int:
    from ratecert.cli.completion import print_completion

    return print_completion(options.shell, options.whole)
