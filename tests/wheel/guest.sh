#!/usr/bin/env bash
# A guest's project whose folders have the names of ours: the command, a paper of their own with its algorithm beside it,
# on one worker, on two and where Dask is installed on a cluster, the pytest plugin, a script and a notebook run there.
#
# usage: tests/wheel/guest.sh FOLDER BIN     FOLDER is made; BIN has the commands of an environment with ratecert in it
set -euo pipefail

long_form=$(cd "$(dirname "${BASH_SOURCE[0]}")/../oracles" && pwd)/long_form.py
folder=$1 bin=$2
mkdir -p "$folder"
cd "$folder"
for name in solvers theory synthetic tests; do
    mkdir "$name"
    echo "OURS = False" >"$name/__init__.py"
done

cat >tests/test_rate.py <<'PYTHON'
import solvers
import ratecert as rc


def test_the_rate(rate_regression):
    assert solvers.OURS is False
    rate_regression(([1, 2, 4], [4.0, 2.0, 1.0]))
    rc.assert_slope(([1, 2, 4], [4.0, 2.0, 1.0]), -1.0, 1e-3)
PYTHON

cat >script.py <<'PYTHON'
import sys

import ratecert as rc

world = rc.worlds.scalar(a=1.0, s_f=0.5)
solver = rc.methods.LocalSGD(eta=0.01, rho_1=0.2, rho_2=1.0, p=8, theta=0.4, Q=20)
run = rc.expect(world, solver, K=4, T=512, x0=[1.0], y0=[0.0])
assert run.gradient > 0
for name in rc.__all__:
    getattr(rc, name)
assert not {"solvers", "theory", "synthetic"} & set(sys.modules), "a guest's folder was imported"
import solvers, synthetic, theory

assert not (solvers.OURS or synthetic.OURS or theory.OURS), "the guest's own folders are hidden"
PYTHON

cat >notebook.ipynb <<'JSON'
{"cells": [{"cell_type": "code", "id": "cell-1", "metadata": {}, "outputs": [], "execution_count": null,
  "source": "import theory\nimport ratecert as rc\n\nassert theory.OURS is False\nassert rc.lint(\"parallel-sgd\") == []"}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
JSON

"$bin/ratecert" --version
"$bin/ratecert" --help >/dev/null
"$bin/ratecert" verify parallel-sgd:sgd-rate --quick --jobs 1 --out results >verify.log 2>&1 || {
    cat verify.log >&2
    exit 1
}

# A paper of their own: its algorithm in a module beside it, a theorem with a mistake, a corollary, a claim by hand.
mkdir shape
"$bin/ratecert" new my_paper --out shape >/dev/null
"$bin/ratecert" lint shape/my_paper.py >/dev/null
cp "$long_form" my_paper.py
"$bin/python" - <<'PYTHON'
from pathlib import Path

paper, algorithm = Path("my_paper.py"), Path("my_algorithm.py")
imports, _, rest = paper.read_text(encoding="utf-8").partition("@dataclass")
own, mark, statements = rest.partition("# The paper:")
assert mark and statements.count("2 * Delta") == 1
algorithm.write_text(imports.replace("from sympy import Ge, sqrt\n", "") + "@dataclass" + own, encoding="utf-8")
claim = """
from ratecert.claims import Claim, Task, equal


def one_step(alpha):
    world = rc.worlds.single_level([1.0])
    after = {"after": rc.measures.distance().last()}
    run = rc.expect(world, ParallelSGD(alpha=alpha), K=1, T=1, x0=[1.0], measures=after)
    return [{"after": run.after}]


def tasks(budget):
    return [Task(one_step, {"alpha": 0.5})]


CLAIMS = (Claim(
    id="algorithm-1.one-step", of=("algorithm-1",), sentence="A step of 1/(2L) halves the distance.", tasks=tasks,
    checks=lambda rows: [equal("squared distance after a step", rows[0]["after"], 0.25, 1e-12)],
    regime="no noise", method="exact moments", evidence=("exact moments",), settings={}, table=("alpha", "after")),)
"""
wrong = statements.replace("2 * Delta", "Delta")
needed = "import solvers, theory\nfrom my_algorithm import ParallelSGD\n\n"
paper.write_text(imports + needed + mark + wrong + claim, encoding="utf-8")
PYTHON
"$bin/ratecert" lint my_paper.py >/dev/null
"$bin/ratecert" explain my_paper.py:theorem-1 | grep "Convergence of parallel SGD" >/dev/null  # to the end: a pipe that closes early is an error
"$bin/ratecert" falsify my_paper.py:theorem-1 --budget 80 --jobs 2 | grep ": refuted, after" >/dev/null
"$bin/ratecert" check results/witnesses/my_paper.theorem-1.printed.simple.toml --paper my_paper.py >/dev/null

verified() { # verified PIECES CLAIM=VERDICT ... -- OPTIONS: what a run of verify finds; a refuted theorem ends with 1
    local tasks=$1 status=0
    shift
    "$bin/ratecert" verify my_paper.py --quick --out mine "${@:4}" >verify.log 2>&1 || status=$?
    [ "$status" -eq 1 ] && "$bin/python" - "$tasks" "${@:1:3}" <<'PYTHON' || { cat verify.log >&2; exit 1; }
import json
import sys

run, results = (json.load(open(f"mine/{name}.json", encoding="utf-8")) for name in ("run", "results"))
found = {claim["id"].removeprefix("my_paper.py:"): claim["verdict"] for claim in results["claims"]}
wanted = dict(each.split("=") for each in sys.argv[2:])
assert found == wanted, found
assert f" {sys.argv[1]}" in f" {run['tasks']}", run["tasks"]
PYTHON
}

verdicts=(theorem-1=refuted "corollary-1=not refuted")
verified "0 stored" "${verdicts[@]}" "algorithm-1.one-step=not refuted" --jobs 2
verified "0 computed" "${verdicts[@]}" "algorithm-1.one-step=not refuted" --jobs 1
"$bin/ratecert" report mine --paper my_paper.py >/dev/null
sed -i.bak 's/self.alpha \* g(/0.5 * self.alpha * g(/' my_algorithm.py     # half the step is another algorithm
verified "0 stored" "${verdicts[@]}" "algorithm-1.one-step=refuted" --jobs 1
if "$bin/python" -c 'import distributed' 2>/dev/null; then
    cat >on_dask.py <<'PYTHON'
import sys

from distributed import LocalCluster
from ratecert.cli.main import main

if __name__ == "__main__":
    here = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, processes=True, **here) as started:
        sys.exit(main([*sys.argv[1:], "--scheduler", started.scheduler_address]))
PYTHON
    status=0
    "$bin/python" on_dask.py verify my_paper.py --quick --out on_dask >dask.log 2>&1 || status=$?
    [ "$status" -eq 1 ] && cmp mine/results.json on_dask/results.json || { cat dask.log >&2; exit 1; }
fi

"$bin/python" script.py
"$bin/python" -m pytest -q -p no:cacheprovider --rate-update tests >/dev/null
"$bin/python" -m pytest -q -p no:cacheprovider tests
IPYTHONDIR=$folder "$bin/ipython" --colors=NoColor notebook.ipynb   # as a kernel: from the notebook's own folder
