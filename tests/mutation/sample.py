"""A random sample of wrong lines in a package, against the tests of its rooms; now and then, as it takes hours.

    python tests/mutation/sample.py solvers [--size 60] [--seed 1] [--jobs 2] [--out FILE]

One token of the sources is changed at a time: a comparison, a sign of arithmetic, and/or, min/max, a number, a `not`.
Each change is tried as places.py tries those of its list, which is for every day. Those that are not noticed want a
test, or a sentence that says why nobody could see them.
"""

import argparse
import ast
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import places

TESTS = {
    "solvers": ["tests/methods", "tests/engines"],
    "synthetic": ["tests/synthetic"],
    "theory": ["tests/theory"],
}
LIMIT = 1800  # seconds of computing for one change
OTHER: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.In: ("in", "not in"),
}  # fmt: skip


def changes(source: str) -> Iterator[str]:
    """The source with one token changed, for each token that can be."""
    text = source.encode()  # columns of the syntax tree are bytes
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def begin(node: ast.expr) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: ast.expr) -> int:
        return starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def edits(node: ast.AST) -> Iterator[tuple[int, int, str, str]]:
        """Between two offsets the first of the one is replaced by the other."""
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER:
                yield end(left), begin(right), *OTHER[type(op)]
            case ast.BoolOp(op=op, values=[left, right, *_]):
                yield end(left), begin(right), *OTHER[type(op)]
            case ast.Compare(left=left, ops=ops, comparators=others):
                for op, one, other in zip(ops, [left, *others], others, strict=False):
                    if type(op) in OTHER:
                        yield end(one), begin(other), *OTHER[type(op)]
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                yield begin(node), end(node), text[begin(node) : end(node)].decode(), repr(value + 1)
            case ast.Call(func=ast.Name(id="min" | "max" as name) as called):
                yield begin(called), end(called), name, "max" if name == "min" else "min"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield begin(node), begin(operand), "not ", ""

    for node in ast.walk(ast.parse(source)):
        for first, last, old, new in edits(node):
            between = text[first:last].replace(old.encode(), new.encode(), 1)
            if between != text[first:last]:  # positions inside f-strings are not always right
                yield (text[:first] + between + text[last:]).decode()


def place_of(file: Path, source: str, wrong: str) -> places.Place:
    """The lines that differ, with as many around them as make them the only ones of their kind."""
    one, other = source.splitlines(keepends=True), wrong.splitlines(keepends=True)
    first = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    low, high = first, first + 1
    while source.count("".join(one[low:high])) > 1:
        low, high = max(low - 1, 0), high + 1
    return {"file": str(file), "line": "".join(one[low:high]), "wrong": "".join(other[low:high])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", choices=TESTS)
    parser.add_argument("--size", type=int, default=60, help="changes that are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=places.SLOTS, help="changes at a time")
    parser.add_argument("--out", type=Path, help="file for the score, as JSON")
    options = parser.parse_args()
    files = sorted((places.ROOT / options.package).rglob("*.py"))
    sources = {file.relative_to(places.ROOT): file.read_text("utf-8") for file in files}
    population = [(file, source, wrong) for file, source in sources.items() for wrong in changes(source)]
    chosen = random.Random(options.seed).sample(population, min(options.size, len(population)))
    print(f"{len(chosen)} of {len(population)} changes")
    found = [
        place_of(*each) | {"room": options.package, "number": i} for i, each in enumerate(chosen, start=1)
    ]
    places.LIMIT = LIMIT
    rooms = {options.package: {"tests": TESTS[options.package]}}
    return places.judge(found, rooms, jobs=options.jobs, night=False, out=options.out)


if __name__ == "__main__":
    sys.exit(main())
