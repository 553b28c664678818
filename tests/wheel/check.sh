#!/usr/bin/env bash
# Build the wheel, install it far from the repository, and run the smoke tests against what was installed.
# A file that is missing from the wheel, or a dependency that is not declared, fails here and nowhere else.
#
# usage: tests/wheel/check.sh [python]     a python that has `build` and `hatchling`; default .venv/bin/python
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${1:-.venv/bin/python}

scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing of the caller's may lead an import back to the repository.
unset PYTHONPATH PYTHONHOME PYTEST_ADDOPTS PYTEST_PLUGINS

echo "wheel: build"
"$python" -m build --wheel --no-isolation --outdir "$scratch/wheel" . >"$scratch/build.log" 2>&1 || {
    cat "$scratch/build.log" >&2
    exit 1
}

echo "wheel: install in a new environment"
"$python" -m venv "$scratch/env"
bin=$scratch/env/bin
"$bin/python" -m pip --disable-pip-version-check -q install "$scratch"/wheel/*.whl "pytest>=8.3"

mkdir "$scratch/away"
cp -R tests pyproject.toml "$scratch/away"     # of pyproject.toml only the pytest settings are read there
cd "$scratch/away"

echo "wheel: ratecert --help"
"$bin/ratecert" --help >/dev/null

echo "wheel: smoke tests"
RATECERT_EXPECT_PREFIX=$("$bin/python" -c 'import sys; print(sys.prefix)')
export RATECERT_EXPECT_PREFIX
status=0
"$bin/pytest" -q -p no:cacheprovider -c pyproject.toml -m smoke tests || status=$?
if [ "$status" -eq 5 ]; then
    echo "wheel: no test is marked smoke, so nothing was checked" >&2
fi
exit "$status"
