"""Mistakes of a printed theorem that stored witnesses show: one claim for each, and one on the witnesses themselves.

A witness is a world inside the printed conditions at which the measure exceeds the printed bound. It shows one mistake:
with the erratum at that place alone the bound holds there, with all the others it does not. Both sides are computed
again in doubles and in enclosed balls; the proof in fractions is run again, where one is stored.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ratecert.base.asked import full_id
from ratecert.base.chart import Chart
from ratecert.catalogue import cases, find
from ratecert.claims.check import Check, at_least, at_most, equal
from ratecert.claims.claim import Budget, Claim, Json, Task
from ratecert.claims.rows import Quantity, Rows, figure, level, line, values
from ratecert.proofs import prove
from ratecert.search.blame import ratios
from ratecert.search.finding import agreement
from ratecert.search.witness import Witness
from ratecert.theory.statements import Theorem
from ratecert.verdicts.statement import (
    IN_FRACTIONS,
    Variant,
    in_fractions,
    of_paper,
    proofs_of,
    reasons,
    without_infinity,
)

KINDS = ("as printed", "all errata but one", "this erratum alone")
LONG, LONGEST, POINTS = 2**20, 2**60, 9  # iterations of the figure, and how many runs
Witnesses = Mapping[str, tuple[str, Witness]]  # name -> text of the file, and what it says


@of_paper
def replay(_paper: str, witness: str, text: str) -> Iterator[Json]:
    """The ratios of a witness around its mistake, and both sides by both ways."""
    check = cases.replayed(cases.parsed(witness, text))
    left, right = check.again.measured, check.again.bound
    enclosed = None if left is None or right is None else left / right
    ratios = (check.ratios.itself, check.ratios.others, check.ratios.alone)
    yield {
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
        "ways": 1 + bool(check.again.counted),
    }


@of_paper
def along_T(_paper: str, witness: str, text: str) -> Iterator[Json]:
    """Both sides at the witness after fewer iterations, and after more where it has few."""
    read = cases.parsed(witness, text)
    case, run = cases.case_for(read), read.instance["run"]
    last = math.log2(min(max(run["T"], LONG), LONGEST))
    for T in sorted({round(2 ** (last * i / (POINTS - 1))) for i in range(POINTS)}):
        tried, found = ratios(case, {**read.instance, "run": {**run, "T": T}}, read.place)
        if found.alone:  # where nothing moves yet, nothing can be drawn
            cured = tried.measured / found.alone
            yield {"T": T, "left": tried.measured, "printed": tried.bound, "cured": cured}


def claims_of(printed: Variant, theorem: Theorem) -> Iterator[Claim]:
    """Of every mistake of the print that a stored witness shows, and of all witnesses of the theorem."""
    key, id = printed.key, full_id(printed.key, theorem.id)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in cases.stored(key)}
    read = {name.removeprefix(f"{key}."): (text, cases.parsed(name, text)) for name, text in texts.items()}
    stored = {name: pair for name, pair in read.items() if pair[1].statement == id}
    for place in dict.fromkeys(found.place for _, found in stored.values() if found.place):
        own = {name: pair for name, pair in stored.items() if pair[1].place == place}
        yield _mistake(printed, theorem, place, own)
    if stored:
        yield _witnesses(printed, theorem, stored)


def _witnesses(printed: Variant, theorem: Theorem, some: Witnesses) -> Claim:
    """Each witness is one, and shows its mistake and no other. A quick run has no fewer: all of them take seconds."""
    own = {"paper": printed.key, "code": printed.code}
    tasks = [Task(replay, {**own, "witness": name, "text": text}) for name, (text, _) in some.items()]
    return printed.claim(
        theorem,
        ": each stored witness refutes the print, and shows the one mistake that it is for.",
        id=f"{theorem.id}.counterexamples",
        tasks=lambda _: tasks,
        checks=_of_the_witnesses,
        regime="inside the printed conditions, at the stored witnesses",
        method="exact moments; the measure enclosed in balls, the bound in intervals",
        evidence=("exact moments",),
        settings={
            name: {table: without_infinity(numbers) for table, numbers in found.instance.items()}
            for name, (_, found) in some.items()
        },
        notes=_cured,
        table=("witness", *KINDS),
        because="",
    )


def _mistake(printed: Variant, theorem: Theorem, place: str, own: Witnesses) -> Claim:
    """What the print says where it is wrong: refuted at every witness, and by the proof."""
    witnesses, key = _witnesses(printed, theorem, own), printed.key
    mistake = next(found.mistake for _, found in own.values())
    proofs = proofs_of(key, theorem.id, mistake)
    said = [prove.note(key, theorem.id, mistake)] if proofs else []
    replays = witnesses.tasks(Budget())
    return replace(
        witnesses,
        id=f"{theorem.id}.printed-{mistake}",
        sentence=f"{theorem.title}, as printed: in its conditions the measure is at most the bound, also at the stored "
        f"witnesses of a mistake at {place}.",
        tasks=lambda _: [*replays, Task(along_T, replays[0].arguments), *proofs],
        checks=_of_the_print,
        evidence=(*witnesses.evidence, *(IN_FRACTIONS if proofs else ())),
        chart=partial(_chart, f"{theorem.title}, as printed, at {next(iter(own))}", place),
        notes=lambda rows: [*_cured(rows), *said],
        table=("witness", *KINDS, "enclosed", "largest", "certified", "ways"),
        because=reasons(each for each in find.paper("repaired", key).errata if each.place == place),
    )


def _of_the_print(rows: Rows) -> Iterator[Check]:
    """Where nothing is enclosed, nothing is refuted."""
    for row in rows.having("as printed"):
        name, known = f"measured/bound, {row['witness']}", row["enclosed"] is not None
        yield at_most(name, row["enclosed" if known else "as printed"], 1.0, 0.0 if known else math.inf)
    yield from in_fractions(rows)


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

    def over(bound: str) -> Quantity:
        return lambda row: row["left"] / row[bound] if row[bound] else math.inf

    return figure(
        f"{what}: measured/bound is above 1. With the erratum at {place} alone it is below.",
        "iterations $T$",
        "measured/bound",
        [
            line("as printed", runs, "T", over("printed"), colour=1),
            line(f"with the erratum at {place}", runs, "T", over("cured"), kind="predicted", colour=0),
            level("1, all that is allowed", values(runs, "T"), 1.0, kind="bound", colour=6),
        ],
        at_curve=True,
    )


def _cured(rows: Rows) -> list[str]:
    return [
        f"{row['witness']}: with the erratum at {row['place']} alone the ratio is {row['this erratum alone']:.2g}, "
        f"with all others but not this one it is {row['all errata but one']:.3g}."
        for row in rows.having("as printed")
        if row["place"]
    ]
