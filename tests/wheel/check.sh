#!/usr/bin/env bash
# Build the wheel from the sdist, install it far from the repository, and run what was installed: in a guest's project
# that has folders of the same names as ours, and the smoke tests.
# A file that is missing from the wheel, a dependency that is not declared, or a name that a guest's folder hides, fails
# here and nowhere else.
#
# usage: tests/wheel/check.sh [python]     a python that has `build` and `hatchling`; default .venv/bin/python
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${1:-.venv/bin/python}

scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing of the caller's may lead an import back to the repository, and what is imported is compiled once.
unset PYTHONPATH PYTHONHOME PYTEST_ADDOPTS PYTEST_PLUGINS PYTHONDONTWRITEBYTECODE

fail() {
    echo "wheel: $1" >&2
    exit 1
}

built() { # built FOLDER [option]: an option of `build`
    "$python" -m build --no-isolation "${@:2}" --outdir "$scratch/$1" . >"$scratch/build.log" 2>&1 || {
        cat "$scratch/build.log" >&2
        exit 1
    }
}

listed() { "$python" -m zipfile -l "$1" | awk 'NR > 1 {print $1}' | sort; }

echo "wheel: build, from the sdist and directly"
built wheel
built direct --wheel
listed "$scratch"/wheel/*.whl >"$scratch/from_sdist"
listed "$scratch"/direct/*.whl >"$scratch/from_tree"
diff "$scratch/from_sdist" "$scratch/from_tree" >&2 || fail "the wheel of the sdist has other files than that of the tree"
names=$(cut -d/ -f1 "$scratch/from_tree" | grep -v '\.dist-info$' | sort -u)
[ "$names" = ratecert ] || fail "one top-level name was expected, got: $names"

# The environment has what pyproject.toml declares and no more. It is kept for as long as that file and the python are
# the same: what it holds then is what a new one would. Without --no-compile half of the time goes into files that
# nobody imports.
env=$PWD/build/wheel-env
bin=$env/bin
made_of=$("$python" -c 'import hashlib, sys; print(sys.version, hashlib.sha256(open("pyproject.toml", "rb").read()).hexdigest())')
pip=("$bin/python" -m pip --disable-pip-version-check -q install --no-compile)
if [ "$(cat "$env/made_of" 2>/dev/null)" = "$made_of" ]; then
    echo "wheel: install in the environment in build/wheel-env"
    "${pip[@]}" --force-reinstall --no-deps "$scratch"/wheel/*.whl
else
    echo "wheel: install in a new environment"
    rm -rf "$env"
    "$python" -m venv "$env"
    "${pip[@]}" "$scratch"/wheel/*.whl "pytest>=8.3" "pytest-xdist>=3.6" "ipython>=8.20" nbformat
    echo "$made_of" >"$env/made_of"
fi

echo "wheel: in a project with folders solvers, theory, synthetic and tests of its own"
bash tests/wheel/guest.sh "$scratch/guest" "$bin"

mkdir "$scratch/away"
cp -R tests pyproject.toml "$scratch/away"     # of pyproject.toml only the pytest settings are read there
cd "$scratch/away"

echo "wheel: smoke tests"
RATECERT_EXPECT_PREFIX=$("$bin/python" -c 'import sys; print(sys.prefix)')
export RATECERT_EXPECT_PREFIX
status=0
# Only files with such a test are imported: the others may need what is no part of the wheel.
grep -rl --include='test_*.py' 'mark\.smoke' tests >files
xargs "$bin/pytest" -q -n auto -p no:cacheprovider -c pyproject.toml -m smoke <files || status=$?
if [ "$status" -eq 5 ] || [ ! -s files ]; then
    echo "wheel: no test is marked smoke, so nothing was checked" >&2
fi
exit "$status"
