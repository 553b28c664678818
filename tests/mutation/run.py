"""Mutation testing of one package: a seeded sample of cosmic-ray's mutants, each against the tests that see its line.

    python tests/mutation/run.py solvers --tree /tmp/mutation --out solvers.json

The sources are copied to --tree and mutated there; the checkout is only read. A mutant is killed by a failing test or
by the timeout, which is counted apart; one that no quick test kills has survived. Results are kept after every mutant,
and a run goes on where it was; one that was killed leaves its mutant in the tree, so take a new tree then.

`--again slower` tries the survivors of --out against slow tests, too: the files that the configuration names for their
module, or every test that executes the line; `--again test_new` against new ones.
"""

import argparse
import ast
import json
import os
import random
import re
import shlex
import shutil
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from selection import EVERY, every_test_of, file_of, measure, tests_of

ROOT = Path(__file__).parents[2]
COPIED = (
    "theory",
    "synthetic",
    "solvers",
    "ratecert",
    "tests",
    "docs",
    "benchmarks",
    "tools",
    "witnesses",
    "proofs",
)
FILES = (
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "Makefile",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", choices=["solvers", "theory"])
    parser.add_argument("--tree", type=Path, required=True, help="folder for the copy that is mutated")
    parser.add_argument("--out", type=Path, required=True, help="file for the results")
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="TEST", help="only the survivors, against these"
    )
    options = parser.parse_args()
    config = tomllib.loads(Path(__file__).with_name(f"{options.package}.toml").read_text("utf-8"))
    tree, out = options.tree.resolve(), options.out.resolve()
    if tree == ROOT or ROOT in tree.parents:
        raise SystemExit(f"--tree must lie outside of {ROOT}, got {tree}.")
    copy(tree)
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree), "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    kept = json.loads(out.read_text("utf-8")) if out.exists() else {"mutants": []}
    if options.again:
        again(kept, config, options.again, out)
    else:
        first(kept, config, tree, out)
    report(kept)


def copy(tree: Path) -> None:
    """A copy of the checkout; of a tree that is there already only the tests are renewed, the sources stay."""
    folders = ["tests"] if tree.exists() else COPIED
    tree.mkdir(exist_ok=True)
    for name in folders:
        shutil.rmtree(tree / name, ignore_errors=True)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, tree / name)


def first(kept: dict[str, Any], config: dict[str, Any], tree: Path, out: Path) -> None:
    sample, package = config["sample"], config["cosmic-ray"]["module-path"]
    items, population = drawn(config, tree)
    measured = tree / "quick.json"
    if not measured.exists():
        quick = measure(tree, package, sample["tests"], cases=sample["cases"], seconds=sample["seconds"])
        measured.write_text(json.dumps(quick), encoding="utf-8")
    quick = json.loads(measured.read_text("utf-8"))
    kept |= {"package": package, "population": population, "sample": sample, "quick": len(quick)}
    done = {mutant["name"] for mutant in kept["mutants"]}
    for item in items:
        if name_of(item) not in done:
            (mutation,) = item.mutations
            ids = tests_of(tree, mutation.module_path, mutation.start_pos[0], list(quick))
            kept["mutants"].append(tried(item, ids, config))
            write(kept, out)


def again(kept: dict[str, Any], config: dict[str, Any], names: list[str], out: Path) -> None:
    """The survivors once more; what was killed before is left alone."""
    items, step = {name_of(item): item for item in population_of(config, Path.cwd())}, "+".join(names)
    for mutant in kept["mutants"]:
        ended = mutant["outcome"] != "survived" or step in mutant.get("later", {})
        if ended or any(found["outcome"] != "survived" for found in mutant.get("later", {}).values()):
            continue
        item = items[mutant["name"]]
        slow = names == ["slower"]
        tests = slower(config, mutant["place"]) if slow else [file_of(Path.cwd(), name) for name in names]
        found = tried(item, tests, config)
        mutant["change"] = found["change"]
        mutant.setdefault("later", {})[step] = {name: found[name] for name in ("outcome", "by", "seconds")}
        write(kept, out)


def slower(config: dict[str, Any], place: str) -> list[str]:
    """The test files that the configuration names for a module; else every test that executes the line, however slow.

    What runs at the import is everybody's: whole files, then.
    """
    module, _, line = place.partition(":")
    seen = every_test_of(Path.cwd(), Path(module), int(line))
    files = config.get("slower", {}).get(module, config["sample"]["tests"] if "" in seen else [])
    return [file_of(Path.cwd(), name) for name in files] or sorted(seen)


def population_of(config: dict[str, Any], tree: Path) -> list[Any]:
    """All mutants of the package but for the operators that are left out, in a fixed order."""
    from cosmic_ray.commands import init
    from cosmic_ray.modules import find_modules
    from cosmic_ray.work_db import WorkDB, use_db

    package = config["cosmic-ray"]["module-path"]
    left_out = [
        re.compile(p) for p in config["cosmic-ray"]["filters"]["operators-filter"]["exclude-operators"]
    ]
    with use_db(str(tree / "mutants.sqlite"), WorkDB.Mode.create) as db:
        init(sorted(find_modules([Path(package)])), db, {})
        items = [
            i for i in db.work_items if not any(p.fullmatch(i.mutations[0].operator_name) for p in left_out)
        ]
    return sorted(items, key=name_of)


def drawn(config: dict[str, Any], tree: Path) -> tuple[list[Any], int]:
    """The sample, without stars of signatures, which cosmic-ray takes for products; and the size of the population."""
    items, sample = population_of(config, tree), config["sample"]
    chosen = random.Random(sample["seed"]).sample(items, min(sample["size"], len(items)))
    return [item for item in chosen if not is_signature(item)], len(items)


def is_signature(item: Any) -> bool:
    """Is what looks like a binary operator none?"""
    (m,) = item.mutations
    if "BinaryOperator" not in m.operator_name:
        return False
    nodes = ast.walk(ast.parse(m.module_path.read_text("utf-8")))
    gaps = [
        ((n.left.end_lineno, n.left.end_col_offset), (n.right.lineno, n.right.col_offset))
        for n in nodes
        if isinstance(n, ast.BinOp)
    ]
    return not any(begin <= tuple(m.start_pos) < end for begin, end in gaps)


def name_of(item: Any) -> str:
    (m,) = item.mutations
    return f"{m.module_path} {m.operator_name.removeprefix('core/')} {m.occurrence:04d}"


def tried(item: Any, ids: list[str], config: dict[str, Any]) -> dict[str, Any]:
    """One mutant against these tests: killed, timeout or survived, and by which test."""
    from cosmic_ray.mutating import mutate_and_test

    Path("chosen.txt").write_text("\n".join(ids), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-m",
        EVERY,
        "-p",
        "no:cacheprovider",
        "@chosen.txt",
    ]
    clock = time.monotonic()
    if ids:
        result = mutate_and_test(item.mutations, shlex.join(command), config["cosmic-ray"]["timeout"])
        output, diff, outcome = result.output or "", result.diff or "", str(result.test_outcome.value)
        outcome = "timeout" if output == "timeout" else outcome
    else:
        output, diff, outcome = "", "no quick test executes this line", "survived"
    by = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", output, re.MULTILINE)
    (m,) = item.mutations
    found = {
        "name": name_of(item),
        "place": f"{m.module_path}:{m.start_pos[0]}",
        "outcome": outcome,
        "tests": len(ids),
        "by": by[1] if by else "",
        "seconds": round(time.monotonic() - clock, 1),
        "change": [line for line in diff.splitlines() if re.match(r"[-+](?![-+])", line)],
    }
    print(json.dumps(found), flush=True)
    return found


def write(kept: dict[str, Any], out: Path) -> None:
    temporary = out.with_suffix(".partial")
    temporary.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    temporary.replace(out)


def report(kept: dict[str, Any]) -> None:
    outcomes = [mutant["outcome"] for mutant in kept["mutants"]]
    survivors = [mutant for mutant in kept["mutants"] if mutant["outcome"] == "survived"]
    killed = len(outcomes) - len(survivors)
    print(f"{killed} of {len(outcomes)} killed, {outcomes.count('timeout')} of them by the timeout")
    for mutant in survivors:
        print("\n".join([f"survived: {mutant['name']} ({mutant['place']})", *mutant["change"]]))


if __name__ == "__main__":
    main()
