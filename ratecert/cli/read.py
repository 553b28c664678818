"""What is read: `ratecert lint`, `explain`, `library` and `explore`; and `new`, a paper to begin with."""

import argparse
import json
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ratecert.base.errors import UserError
from ratecert.base.terminal import echo, folded
from ratecert.base.words import CERTAINTY, OF_THE_LIBRARY, REFUTED, WORDS
from ratecert.cli.options import add_json, add_key, add_papers, add_variant, named, spoken

if TYPE_CHECKING:
    from ratecert.theory.lint import Finding
    from ratecert.theory.paper import Paper

OF_A_VARIANT = "the paper to the letter, or with its errata applied (default: printed)"
OF_A_PAPER = "which paper (default: the one with the statement, or the first)"
NARROWEST = 60  # columns in which a statement is typeset


def _add_lint(lint: argparse.ArgumentParser) -> None:
    lint.description = (
        "Checks units, symbols, corollaries with their logarithms, consistency and validity windows."
    )
    lint.epilog = (
        "Exits with 1 if there are errors, with 0 if there are warnings and notes alone, or nothing."
    )
    what = "a paper's key, its file such as my_paper.py, its module, or a statement such as storm:theorem-1"
    lint.add_argument("file", nargs="?", type=named, metavar="PAPER[:STATEMENT]", help=what)
    add_json(lint, "a list of findings")
    lint.add_argument("--all", action="store_true", help="show warnings and notes, too")
    add_variant(lint, OF_A_VARIANT)
    add_key(lint, OF_A_PAPER)
    lint.set_defaults(run=_lint)


def _lint(options: argparse.Namespace) -> int:
    """Print the errors of a paper or of one statement, and how much else there is; 1 if there are errors."""
    from ratecert.base.asked import FIRST
    from ratecert.catalogue.find import paper, require_bound, split
    from ratecert.theory.lint import lint
    from ratecert.theory.numbers.evaluation import with_constants_of

    id = options.file or options.paper or FIRST
    key, statement = split(id) if ":" in id else (id, "")
    read = paper(options.variant, key)
    findings = lint(read)
    if statement:
        own = with_constants_of(read, read.owner(statement))
        findings = [finding for finding in findings if read.owner(finding.place) in own]
    if options.json:
        echo(json.dumps([finding.as_dict() for finding in findings], indent=2) + "\n")
    else:
        echo(_report(read, findings, all=options.all))
    require_bound(key)
    return int(any(finding.severity == "error" for finding in findings))


def _report(paper: "Paper", findings: "Sequence[Finding]", *, all: bool) -> str:
    from ratecert.theory.lint import SEVERITIES

    width = _terminal_width()
    how = f"{CERTAINTY[paper.certainty]}, " if paper.certainty else ""
    counts = Counter(finding.severity for finding in findings)
    counted = ", ".join(f"{counts[s]} {s}{'' if counts[s] == 1 else 's'}" for s in SEVERITIES if counts[s])
    lines = textwrap.wrap(f"{paper.title} ({how}{paper.variant})", width)
    shown = [finding for finding in findings if all or finding.severity == "error"]
    more = "" if len(shown) == len(findings) else "; --all shows what is no error"
    lines += [f"{counted or 'Nothing found; that is not a proof'}{more}.", ""]
    for finding in shown:
        lines += [f"{finding.place}: {finding.severity}, {finding.kind}"]
        for label in ("printed", "fits", "because"):
            text = f"{label:<9}{getattr(finding, label)}"
            lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent=" " * 11)
        lines += [""]
    return "\n".join(lines)


def _terminal_width() -> int:
    from ratecert.typeset.printed import WIDTH

    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size(fallback=(WIDTH, 24)).columns))


def _add_explain(explain: argparse.ArgumentParser) -> None:
    what = "such as theorem-1, constant.L_hat or my_paper.py:theorem-1; without it, the list of ids"
    explain.add_argument("id", nargs="?", type=named, help=what)
    explain.add_argument("--latex", action="store_true", help="print LaTeX")
    explain.add_argument("--diff", action="store_true", help="printed against repaired, where they differ")
    add_variant(explain, OF_A_VARIANT)
    add_key(explain, OF_A_PAPER)
    explain.set_defaults(run=_explain)


def _explain(options: argparse.Namespace) -> int:
    """Without an id, list the statements of the paper; with --diff, what errata change."""
    from ratecert.base.asked import FIRST, full_id
    from ratecert.catalogue.find import KEYS, bindings, paper, split, statement
    from ratecert.catalogue.load import library
    from ratecert.typeset.printed import as_latex, for_terminal

    id = options.id
    if id == "":
        raise UserError("the name of a statement is missing; `ratecert explain` alone lists the statements.")
    id = f"{id}:" if id and (id.endswith(".py") or id in (*KEYS, *library())) else id
    key, place = split(id) if id else (FIRST, "")
    key = options.paper or key
    read = paper(options.variant, key)
    if options.diff:
        echo(_changes(key, place))
        return 0
    if not place:
        echo("".join(f"{id:<21} {statement.title}\n" for id, statement in read.statements.items()))
        return 0
    owner = read.owner(place)  # a place, as the linter gives it, shows its whole statement
    found = statement(full_id(key, owner), options.variant)
    run = bindings(key).get(owner)
    settings = run.settings if run else {}
    if options.latex:
        echo(as_latex(read, found, settings))
        return 0
    unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    echo(_verdict(key, full_id(key, owner), options.variant))
    echo(for_terminal(read, found, settings, width=_terminal_width(), unicode=unicode))
    return 0


def _verdict(key: str, id: str, variant: str) -> str:
    """The recorded verdict on a statement that comes with ratecert; nothing on what is no claim, or your own."""
    from ratecert.catalogue.find import KEYS
    from ratecert.claims.check import in_words
    from ratecert.report.library import ratio_of, read, verdict_in_words
    from ratecert.verdicts.collect import claims_of

    for record in read():
        if (record["id"], record["variant"]) == (id, variant):
            ratio = "" if record["ratio"] is None else f", measured/bound {ratio_of(record)}"
            return folded(f"Verdict: {verdict_in_words(record)}{ratio}; `ratecert library {id}` tells all.")
    claims = claims_of(key).values() if key in KEYS else ()
    on_it = [c for c in claims if c.id.startswith(f"{id}.{variant}") or (c.id, variant) == (id, "printed")]
    words = {in_words({"verdict": claim.expected, "evidence": claim.evidence}): claim for claim in on_it}
    return folded(f"Verdict: {', '.join(words)}; `ratecert verify {id}` computes it.") if words else ""


def _changes(key: str, place: str) -> str:
    """What errata change, of one statement with its constants or of all."""
    from ratecert.catalogue.find import paper
    from ratecert.typeset.errata import changes
    from ratecert.verdicts.statement import errata_of

    repaired, told = paper("repaired", key), list[str]()
    for erratum in errata_of(key, repaired.owner(place)) if place else repaired.errata:
        for at, printed, read in changes(erratum):
            told += [at, f"  printed   {printed}", f"  repaired  {read}", f"  because   {erratum.reason}"]
    return "".join(map(folded, told or ["Printed and repaired are the same."]))


def _add_library(library: argparse.ArgumentParser) -> None:
    library.description = (
        "Lists the statements of the library with their verdicts, what is wrong first. The verdicts come with the "
        "package; `ratecert verify library` computes them again."
    )
    what = "such as svrg or svrg:theorem-1 (default: all)"
    library.add_argument("names", nargs="*", metavar="STATEMENT", help=what)
    verdict = f"{', '.join(WORDS)}, or as the table has it; refuted has those that are proved false, too"
    library.add_argument("--verdict", type=spoken, choices=OF_THE_LIBRARY, metavar="VERDICT", help=verdict)
    evidence = "those that were tried on worlds, or those in which the linter has found something"
    library.add_argument("--evidence", choices=("search", "linter"), help=evidence)
    library.add_argument("--paper", metavar="KEY", help="those of this paper")
    after = "those whose print was had so"
    library.add_argument("--after", choices=[*filter(None, CERTAINTY)], help=after)
    add_json(library, "the records")
    results = "a results.json of your own instead of the record"
    library.add_argument("--results", type=Path, metavar="FILE", help=results)
    library.set_defaults(run=_library)


def _library(options: argparse.Namespace) -> int:
    """Without results, the verdicts that come with the package; `ratecert verify library` computes them again."""
    from ratecert.report import library, results

    wanted = {name: getattr(options, name) for name in ("verdict", "evidence", "paper", "after")}
    if options.results is None:
        known = library.read()
    else:
        read = results.with_papers(results.read(options.results), options.results)
        known = library.from_results(read)["statements"]
    records = library.chosen(known, options.names, **wanted)
    if options.json:
        told = [{name: record[name] for name in library.FIELDS} for record in records]
        echo(json.dumps({"schema": library.SCHEMA, "statements": told}, indent=1) + "\n")
        return 0
    if records:
        echo(library.detailed(records) + "\n" if options.names else library.listed(records))
    wrong = sum(record["verdict"] in REFUTED for record in records)
    count = f"{len(records)} statement{'' if len(records) == 1 else 's'}, {wrong} refuted."
    again = "`ratecert verify library` computes them again, `ratecert explain ID` shows one."
    echo(folded(f"{count} {again}"))
    return 0


SHAPES = Path(__file__).parents[1] / "papers" / "_shapes"


def _add_new(new: argparse.ArgumentParser) -> None:
    new.description = (
        "Writes NAME.py, a theorem in a dozen lines that runs, to be changed into yours, and its test."
    )
    new.add_argument("name", metavar="NAME", help="such as my_paper")
    shapes = {path.stem: path.read_text("utf-8").split('"""')[1] for path in sorted(SHAPES.glob("*.py"))}
    new.epilog = " ".join(f"{name}: {says.splitlines()[0]}" for name, says in shapes.items())
    what = f"what the theorem says: {', '.join(shapes)} (default: average)"
    new.add_argument("--shape", choices=shapes, default="average", metavar="SHAPE", help=what)
    new.add_argument("--out", type=Path, default=Path(), help="folder (default: this one)")
    new.set_defaults(run=_new)


TEST = '''"""The paper in {name}.py is sound, and no world breaks its theorem."""

from pathlib import Path

import ratecert as rc

PAPER = str(Path(__file__).parent / "{name}.py")


def test_the_statements_are_sound() -> None:
    """Notes propose what to look at, and are no mistakes."""
    assert [finding for finding in rc.lint(PAPER) if finding.severity != "note"] == []


def test_no_world_breaks_the_theorem() -> None:
    outcome = rc.falsify(f"{{PAPER}}:theorem-1", budget=200)
    assert not outcome.falsified
    assert outcome.inside > 100
'''


def _new(options: argparse.Namespace) -> int:
    """Write NAME.py and test_NAME.py, neither of which is there yet."""
    from ratecert.base.files import write_text

    name, folder = options.name, options.out
    _require_free(name, folder)
    paper, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for path in (paper, test):
        if path.exists():
            raise UserError(f"{path} is there already; choose another name, or remove it.")
    write_text(paper, (SHAPES / f"{options.shape}.py").read_text(encoding="utf-8"))
    write_text(test, TEST.format(name=name))
    echo(f"{paper}, {test} written. Now:\n")
    for command in ("lint", "explain", "falsify"):
        echo(f"  ratecert {command} {paper}{'' if command == 'lint' else ':theorem-1'}\n")
    return 0


def _require_free(name: str, folder: Path) -> None:
    """Refuse what is no name of a module, or the name under which Python would find another one."""
    import keyword
    from importlib.util import find_spec

    named = name.isidentifier() and not keyword.iskeyword(name)
    if not named or (not (folder / f"{name}.py").exists() and find_spec(name) is not None):
        raise UserError(
            f"NAME must be a Python name such as my_paper, of no keyword and no module that is there, got {name!r}."
        )


def _add_explore(explore: argparse.ArgumentParser) -> None:
    explore.description = (
        "Serves a page on 127.0.0.1: pick a method or a theorem, move its numbers, and see exact curves, the bound and "
        "its terms. Nothing leaves this machine, and nothing that a request says is executed."
    )
    what = (
        "begin at a claim, a statement or a counterexample: theorem-1.printed-G, fedavg:theorem-1, "
        "theorem-1.printed-G.simple, a witness by its path; or a paper of your own: my_paper.py, my_paper.py:theorem-1"
    )
    explore.add_argument("name", nargs="?", type=named, metavar="NAME", help=what)
    explore.add_argument("--port", type=int, default=0, help="(default: any that is free)")
    explore.add_argument("--no-open", action="store_true", help="print the address, and open no browser")
    add_papers(explore)
    explore.set_defaults(run=_explore)


def _explore(options: argparse.Namespace) -> int:
    """Serve the explorer until it is interrupted, and open it at what is named."""
    import threading
    import webbrowser

    from ratecert.explore import presets
    from ratecert.explore.server import HOST, served, warm

    link = f"?{presets.named(options.name).query}" if options.name else ""
    server = served(options.port)
    address = f"http://{HOST}:{server.server_address[1]}/{link}"
    echo(f"The explorer is at {address}; Ctrl-C ends it.\n")
    beside = threading.Thread(target=warm, daemon=True)
    beside.start()
    if not options.no_open:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        echo("\n")
    finally:
        server.server_close()
        beside.join()  # what computes on would change FLINT's one precision under whatever comes next
    return 0


COMMANDS = {
    "lint": ("what is unsound in the paper's statements themselves", _add_lint),
    "explain": ("a statement of the paper, typeset", _add_explain),
    "library": ("published statements on trial: the verdicts on each", _add_library),
    "new": ("a paper in one file, to be changed into yours", _add_new),
    "explore": ("sliders and exact curves, on a page of this machine", _add_explore),
}
