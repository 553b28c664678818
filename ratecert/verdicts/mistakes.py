"""Mistakes of a printed theorem that stored witnesses show: one claim for each, and one on the witnesses themselves.

A witness is a world inside the printed conditions at which the measure exceeds the printed bound. It shows one mistake:
with the erratum at that place alone the bound holds there, with all the others it does not. Both sides are computed
again in doubles and in enclosed balls; the proof in fractions is run again, where one is stored.
"""

import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial

from ratecert.base.asked import full_id
from ratecert.base.chart import Chart
from ratecert.base.errors import UndecidedError
from ratecert.base.lists import BEYOND
from ratecert.base.own_code import undecided_by_mistakes
from ratecert.catalogue import cases, find
from ratecert.catalogue.version import require_version
from ratecert.claims.check import Check, at_least, at_most, equal
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.claims.lines import figure, line
from ratecert.claims.rows import Rows
from ratecert.proofs import prove
from ratecert.search.blame import ratios
from ratecert.search.finding import agreement
from ratecert.search.witness import Witness
from ratecert.theory.language.statements import Theorem

KINDS = ("as printed", "all errata but one", "this erratum alone")
REGIME = "inside the printed conditions, at the stored witnesses"
METHOD = "exact moments; the measure enclosed in balls, the bound in intervals"
FAR = "the ratio may be far from 1, where a small change decides nothing"
MAY_MISS = {**dict.fromkeys(("enclosed", "proved", *KINDS), FAR), "precision": "nearly all digits are known"}
LONG, LONGEST, POINTS = 2**20, 2**60, 9  # iterations of the figure, and how many runs
Witnesses = Mapping[str, tuple[str, Witness]]  # name -> text of the file, and what it says


def replay(paper: str, witness: str, text: str, code: str) -> list[Json]:
    """The ratios of a witness around its mistake, and both sides by both ways."""
    require_version(paper, code)
    with undecided_by_mistakes():
        check = cases.replayed(cases.parsed(witness, text))
    left, right = check.again.measured, check.again.bound
    enclosed = None if left is None or right is None else left / right
    ratios = (check.ratios.itself, check.ratios.others, check.ratios.alone)
    return [
        {
            "place": check.witness.place,
            **dict(zip(KINDS, ratios, strict=True)),
            "enclosed": enclosed,
            "precision": check.tried.precision,
            "measured": check.tried.measured,
            "measured again": left,
            "bound": check.tried.bound,
            "bound again": right,
            "largest": check.ratios.itself,
            "certified": enclosed is not None and check.confirmed,
        }
    ]


def along_T(paper: str, witness: str, text: str, code: str) -> list[Json]:
    """Both sides at the witness after fewer iterations, and after more where it has few."""
    require_version(paper, code)
    with undecided_by_mistakes():
        read = cases.parsed(witness, text)
        case, run = cases.case_for(read), read.instance["run"]
        last = math.log2(min(max(run["T"], LONG), LONGEST))
        rows: list[Json] = []
        for T in sorted({round(2 ** (last * i / (POINTS - 1))) for i in range(POINTS)}):
            tried, found = ratios(case, {**read.instance, "run": {**run, "T": T}}, read.place)
            if found.alone:  # where nothing moves yet, nothing can be drawn
                cured = tried.measured / found.alone
                rows.append({"T": T, "left": tried.measured, "printed": tried.bound, "cured": cured})
        return rows


def proved(proof: str, text: str) -> list[Json]:
    """Run a stored proof, which needs nothing but Python; the ratio that it prints is the last word."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, text=True)
    if run.returncode or not run.stdout.startswith("proved: "):
        raise UndecidedError(f"the stored proof {proof} does not go through: {run.stderr.strip()[-200:]}")
    last = run.stdout.split()[-1]  # "the bound is zero and the measure is not"
    return [{"proved": BEYOND if last == "not" else float(last)}]


def claims_of(key: str, theorem: Theorem, code: str) -> Iterator[Claim]:
    """Of every mistake of the print that a stored witness shows, and of all witnesses of the theorem."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in cases.stored(key)}
    read = {name.removeprefix(f"{key}."): (text, cases.parsed(name, text)) for name, text in texts.items()}
    id = full_id(key, theorem.id)
    stored = {name: pair for name, pair in read.items() if pair[1].statement == id}
    for place in dict.fromkeys(found.place for _, found in stored.values() if found.place):
        own = {name: pair for name, pair in stored.items() if pair[1].place == place}
        yield _mistake(key, theorem, place, own, code)
    if stored:
        yield _witnesses(key, theorem, stored, code)


def _mistake(key: str, theorem: Theorem, place: str, own: Witnesses, code: str) -> Claim:
    """What the print says where it is wrong: refuted at every witness, and by the proof."""
    name = next(found.mistake for _, found in own.values())
    proof = prove.proof_name(key, theorem.id, name)
    proofs = {path.stem: path.read_text(encoding="utf-8") for path in prove.stored(key)}
    tasks = _replays(key, own, code)
    tasks.append(Task(along_T, tasks[0].arguments))
    if proof in proofs:
        tasks.append(Task(proved, {"proof": proof, "text": proofs[proof]}))
    errata = [each for each in find.paper("repaired", key).errata if each.place == place]
    return Claim(
        id=f"{theorem.id}.printed-{name}",
        of=(theorem.id,),
        sentence=f"{theorem.title}, as printed: in its conditions the measure is at most the bound, also at the stored "
        f"witnesses of a mistake at {place}.",
        tasks=partial(_same, tasks),
        checks=_of_the_print,
        regime=REGIME,
        method=METHOD,
        evidence=("exact moments", *(("proof in fractions",) if proof in proofs else ())),
        settings=_instances(own),
        chart=partial(_chart, f"{theorem.title}, as printed, at {next(iter(own))}", place),
        notes=partial(_cured, [prove.note(key, theorem.id, name)] if proof in proofs else []),
        table=("witness", *KINDS, "enclosed", "largest", "certified"),
        runs=(find.bindings(key)[theorem.id].name,),
        because="; ".join(each.reason for each in errata),
        may_miss=MAY_MISS,
    )


def _witnesses(key: str, theorem: Theorem, stored: Witnesses, code: str) -> Claim:
    """Each witness is one, and shows its mistake and no other."""
    return Claim(
        id=f"{theorem.id}.counterexamples",
        of=(theorem.id,),
        sentence=f"{theorem.title}: each stored witness refutes the print, and shows the one mistake that it is for.",
        tasks=partial(_same, _replays(key, stored, code)),
        checks=_of_the_witnesses,
        regime=REGIME,
        method=METHOD,
        evidence=("exact moments",),
        settings=_instances(stored),
        notes=partial(_cured, []),
        table=("witness", *KINDS),
        runs=(find.bindings(key)[theorem.id].name,),
        may_miss=MAY_MISS,
    )


def _replays(key: str, some: Witnesses, code: str) -> list[Task]:
    given = [{"paper": key, "witness": name, "text": text, "code": code} for name, (text, _) in some.items()]
    return [Task(replay, each) for each in given]


def _same(tasks: list[Task], _: Budget) -> list[Task]:
    """All of them take seconds: a quick run has no fewer."""
    return tasks


def _of_the_print(rows: Rows) -> Iterator[Check]:
    """Where nothing is enclosed, nothing is refuted."""
    for row in rows.having("as printed"):
        name, known = f"measured/bound, {row['witness']}", row["enclosed"] is not None
        yield at_most(name, row["enclosed" if known else "as printed"], 1.0, 0.0 if known else math.inf)
    for row in rows.having("proved"):
        yield at_most(f"measured/bound in fractions, {row['proof']}", row["proved"], 1.0)


def _of_the_witnesses(rows: Rows) -> Iterator[Check]:
    for row in rows:
        name, error = row["witness"], row["precision"] * row["as printed"]
        yield at_least(f"measured/bound, {name}", row["as printed"], 1.0, error)
        if row["place"]:
            yield at_least(f"all errata but one, {name}", row["all errata but one"], 1.0, error)
            yield at_most(f"this erratum alone, {name}", row["this erratum alone"], 1.0)
        for side in ("measured", "bound"):
            if row[f"{side} again"] is not None:
                ways = row[f"{side} again"] / row[side]
                yield equal(f"{side}, second way/first, {name}", ways, 1.0, agreement(row["precision"]))


def _chart(what: str, place: str, rows: Rows) -> Chart | None:
    """None where nothing moves, or nothing was computed: then the checks are drawn."""
    runs = rows.having("left")
    if not runs:
        return None
    return figure(
        f"{what}: the measure exceeds the bound. The erratum at {place} alone lifts the bound above it.",
        "iterations $T$",
        "the measure, and its bounds",
        [
            line("measured", runs, "T", "left", colour=0),
            line("the bound as printed", runs, "T", "printed", kind="bound", colour=1),
            line(f"with the erratum at {place}", runs, "T", "cured", kind="predicted", colour=2),
        ],
    )


def _cured(proof: list[str], rows: Rows) -> list[str]:
    said = [
        f"{row['witness']}: with the erratum at {row['place']} alone the ratio is {row['this erratum alone']:.2g}, "
        f"with all others but not this one it is {row['all errata but one']:.3g}."
        for row in rows.having("as printed")
        if row["place"]
    ]
    return [*said, *proof]


def _instances(some: Witnesses) -> Mapping[str, Json]:
    """JSON has no infinity: the limit of long runs is written as a word."""
    return {
        name: {
            table: {n: "inf" if value == math.inf else value for n, value in entries.items()}
            for table, entries in found.instance.items()
        }
        for name, (_, found) in some.items()
    }
