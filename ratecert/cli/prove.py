"""`ratecert prove`: a counterexample as a file that proves the statement false, in fractions alone."""

from fractions import Fraction
from pathlib import Path

from ratecert.base.errors import RatecertError, WitnessError
from ratecert.base.files import atomic_write, require_writable
from ratecert.base.terminal import echo
from ratecert.counterexamples import witness, witness_files
from ratecert.proofs.proof import prove

FOLDER = Path("results/proofs")


def print_proved(name: str, *, out: Path | None, coq: bool) -> int:
    """Write the proof, and say where it is; what is no witness, or cannot be proved so, is refused."""
    path = witness_files.named(name)
    read = witness.read(path)
    try:
        proof = prove(read)
    except RatecertError as error:
        raise WitnessError(f"{path}: {error}") from error
    text = proof.texts.coq if coq else proof.texts.python
    if not text:
        raise WitnessError(
            f"{path}: a theorem that is bound to a run by data is proved in Python only; leave --coq out."
        )
    file = out or FOLDER / f"{proof.name}{'.v' if coq else '.py'}"
    require_writable(file.parent)
    with atomic_write(file) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    if proof.instead:
        echo(
            f"The witness itself cannot be written so ({proof.instead}); a simpler one of the same mistake is.\n"
        )
    how = f"coqc {file}" if coq else f"python {file}"
    echo(f"Wrote {file}: proved false, {_ratio(proof.texts.ratio)}; {how} replays it.\n")
    return 0


def _ratio(ratio: Fraction | None) -> str:
    return "and the bound is zero" if ratio is None else f"measure/bound is about {float(ratio):.6g}"
