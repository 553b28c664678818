#!/usr/bin/env bash
# A guest's project whose folders have the names of ours: the command, a paper of their own, the pytest
# plugin, a script and a notebook run there.
#
# usage: tests/wheel/guest.sh FOLDER BIN     FOLDER is made; BIN has the commands of an environment with ratecert in it
set -euo pipefail

runner=$(cd "$(dirname "${BASH_SOURCE[0]}")/../oracles" && pwd)/run_notebook.py
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
"$bin/ratecert" new my_paper >/dev/null
sed -i.bak 's/import ratecert as rc/import ratecert as rc, solvers, theory/; s/2 \* Delta/Delta/' my_paper.py
"$bin/ratecert" lint my_paper.py --strict >/dev/null
"$bin/ratecert" falsify my_paper.py:theorem-1 --budget 80 --jobs 2 | grep -q FALSIFIED
"$bin/ratecert" check results/witnesses/my_paper.theorem-1.printed.simple.toml >/dev/null
"$bin/python" script.py
"$bin/python" -m pytest -q -p no:cacheprovider --rate-update tests >/dev/null
"$bin/python" -m pytest -q -p no:cacheprovider tests
PYTHONPATH=$PWD "$bin/python" -B "$runner" notebook.ipynb >/dev/null   # a kernel has the folder of its notebook
