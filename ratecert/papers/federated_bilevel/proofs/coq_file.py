"""A proof as a Coq file: QArith, vm_compute, no axioms. The pages theorem.v.jinja and constant.v.jinja, filled in."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ratecert.papers.federated_bilevel.paper import paper
from ratecert.papers.federated_bilevel.proofs.constant import ConstantProof
from ratecert.papers.federated_bilevel.proofs.potential import numbers
from ratecert.papers.federated_bilevel.proofs.python_file import page
from ratecert.papers.federated_bilevel.proofs.theorem import BATCHED, TheoremProof, Version
from ratecert.papers.federated_bilevel.proofs.world import World
from ratecert.proofs.sheet import RATE, AtBothEnds, Defined, Quotient, Sheet
from ratecert.proofs.traced_step import TracedStep
from ratecert.proofs.writing import CoqWriter, ReducedCoqWriter, coq_fraction, coq_name


def constant_coq(proof: ConstantProof) -> str:
    write = CoqWriter(proof.sheet.values).doprint
    context = {
        **_head(proof.world, proof.sheet, ("A", "P", "R"), proof.given, steepest="(P * R) ^ 2"),
        "name": proof.statement.symbol.name,
        "place": proof.place,
        "theta": _relation(proof.theta, write),
        "defined": _defined(proof.sheet.defined, proof.sheet, write),
        "alone": proof.alone,
        "noisy": False,
    }
    return page("constant.v.jinja", context)


def theorem_coq(proof: TheoremProof) -> str:
    sheet, given, measured = proof.sheet, proof.given, proof.measured
    write = CoqWriter(sheet.values).doprint
    reduced = ReducedCoqWriter(sheet.values).doprint
    first, later = proof.steps
    batched = proof.statement.algorithm == BATCHED
    own = [field for field in later.fields if field not in ("x", "u")]
    context = {
        **_head(measured.world, sheet, ("A", "P", "s", "R"), given, steepest="(P * R + s) ^ 2 + s ^ 2"),
        "title": f"{proof.statement.source.rpartition(', ')[2]} ({proof.statement.title})",
        "place": proof.place,
        "noisy": True,
        "algorithm": paper()[proof.statement.algorithm].source.rpartition(", ")[2],
        "positive": "; ".join(coq_name(name) for name in given),
        "batched": batched,
        "defined": _defined(sheet.defined, sheet, write),
        "quotients": _lemmas("condition", proof.quotients, write),
        "ends": _ends(proof.at_both_ends, write) if proof.at_both_ends else [],
        "logarithm": [line for log in sheet.logarithms for line in _logarithm(log.n, write(log.argument))],
        "printed": _version("", proof.printed, write),
        "others": proof.others and _version("others", proof.others, write),
        "alone": proof.alone and _version("alone", proof.alone, write),
        "steps": [_step("first", first, reduced), _step("later", later, reduced)],
        "type": " * ".join(["Q"] * len(later.fields)),
        "state": ", ".join(later.fields),
        "averaged": ", ".join(["mean (map x_of devices)", "mean (map u_of devices)", *own]),
        "after": ", ".join(["_", "u_t", *("_" for _ in own)]),
        "before": ", ".join("z" if field == "x_previous" else field for field in later.fields),
        "K": int(given["K"]),
        "p": int(given["p"]),
        "T": int(given["T"]),
        "batch": int(given["B"]) if batched else 1,
        "enumerated": measured.potential is None,
    }
    if found := measured.potential:
        said = numbers(found, measured.world, given.get("B", Fraction(1)))
        context |= {name: coq_fraction(value) for name, value in said.items()}
    return page("theorem.v.jinja", context)


def _head(
    world: World, sheet: Sheet, letters: Sequence[str], given: Mapping[str, Fraction], *, steepest: str
) -> dict[str, Any]:
    values = {name: getattr(world, name) for name in letters}
    values |= {name: sheet.values[name] for name in ("mu", "L_1", "L_0")} | dict(given)
    return {
        "paper": paper().title,
        "letters": [f"Definition {coq_name(n)} : Q := {coq_fraction(v)}." for n, v in values.items()],
        "steepest": steepest,
        "slope": coq_fraction(world.slope_squared / sheet.values["L_0"] ** 2),
    }


def _defined(defined: Iterable[Defined], sheet: Sheet, write: Any) -> list[str]:
    lines = []
    for d in defined:
        if d.power == 1:
            lines.append(f"Definition {d.name} : Q := {write(d.right)}.")
        else:
            lines.append(f"Definition {d.name} : Q := {coq_fraction(sheet.values[d.name])}.")
            lines.append(f"Lemma {d.name}_is_a_root : {d.name} ^ {d.power} == {write(d.right)}.")
            lines.append("Proof. calculate. Qed.")
    return lines


def _relation(quotient: Quotient, write: Any) -> str:
    expression, value = write(quotient.expression), coq_fraction(quotient.value)
    if quotient.relation == "=":
        return f"{expression} == 1"
    return f"{'at_most' if quotient.relation == '<=' else 'below'} {expression} {value}"


def _lemmas(prefix: str, quotients: Iterable[Quotient], write: Any) -> list[tuple[str, str]]:
    """condition_rho_1_2 for the second clause of rho_1."""
    return [
        (f"{prefix}_{coq_name(q.part.split()[0])}_{q.part.split()[-1]}", _relation(q, write))
        for q in quotients
    ]


def _ends(ends: AtBothEnds, write: Any) -> Iterable[str]:
    """The letter as the clause that is the largest, at t = 0 and at t = T - 1."""
    (largest,) = [clause for clause, *at in zip(ends.clauses, *ends.shares, strict=True) if set(at) == {1}]
    name, both = ends.name, "[0; T - 1]"
    yield "(* At both ends of the run; in between nothing falls as t grows. *)"
    yield f"Definition {name} (t : Q) : Q := {write(largest)}."
    for i, clause in enumerate(ends.clauses, start=1):
        yield f"Lemma {name}_{i} : Forall (fun t => {write(clause)} <= {name} t) {both}."
        yield "Proof. each. Qed."
    for q in ends.quotients:
        condition, relation = q.part.split()[0], _relation(q, write)
        yield f"Lemma condition_{condition} : Forall (fun t => let {name} := {name} t in {relation}) {both}."
        yield "Proof. each. Qed."


def _logarithm(n: int, argument: str) -> Iterable[str]:
    yield f"Definition rate : Q := {coq_fraction(RATE)}."
    yield "Lemma exponential : 2 < 1 + rate + rate ^ 2 / 2 + rate ^ 3 / 6."
    yield "Proof. calculate. Qed."
    yield f"Lemma horizon : {argument} <= 2 ^ {n}."
    yield "Proof. calculate. Qed."
    yield f"Definition log : Q := {n} * rate."


def _version(prefix: str, version: Version, write: Any) -> dict[str, Any]:
    terms = " + ".join(write(term) for term in version.terms.values())
    return {"sum": terms, "quotients": _lemmas(prefix, version.quotients, write)}


def _step(name: str, step: TracedStep, write: Any) -> dict[str, Any]:
    many = len(step.fields) > 1
    return {
        "name": name,
        "arguments": f"(state : {' * '.join(['Q'] * len(step.fields))})"
        if many
        else f"({step.fields[0]} : Q)",
        "state": ", ".join(step.fields) if many else "",
        "lines": [f"let {target} := {write(value)} in" for target, value in step.named],
        "result": ", ".join(write(value) for value in step.result),
    }
