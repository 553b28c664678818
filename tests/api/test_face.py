"""The public face, `import ratecert as rc`: lazy, complete, known to type checkers, and used by nobody inside."""

import ast
import doctest
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, get_origin

import pytest

import ratecert as rc
from ratecert import solvers, synthetic
from ratecert.solvers.contract.problem import CentredProblem

PACKAGE = Path(rc.__file__).parent
NAMESPACES = tuple(name for name in rc.__all__ if inspect.ismodule(getattr(rc, name)))
SELDOM = (
    "sympy",
    "scipy.optimize",
    "scipy.linalg",
    "scipy.interpolate",
    "scipy.sparse.linalg",
    "matplotlib",
)
HEAVY = ("numpy", "scipy", *SELDOM, "joblib", "rich")
RUN = """
import ratecert as rc
solver = rc.methods.LocalBSGM(eta=0.1, alpha=2.0, beta=2.0, rho_1=0.2, rho_2=0.5, p=2, theta=0.15, Q=5)
rc.expect(rc.worlds.scalar(s_f=0.5), solver, K=2, T=2**40, x0=1.0, y0=1.0)
"""


def loaded_after(statement: str) -> list[str]:
    """Which of the heavy packages a new interpreter has loaded after a statement."""
    code = f"import json, sys\n{statement}\nprint(json.dumps([n for n in {HEAVY!r} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.smoke
def test_importing_loads_nothing_else() -> None:
    assert loaded_after("import ratecert; dir(ratecert); ratecert.errors") == []
    assert "matplotlib" not in loaded_after("import ratecert; ratecert.expect")
    assert "numpy" in loaded_after("import ratecert; ratecert.expect")  # and this does


def test_a_run_loads_only_what_it_needs() -> None:
    """The seldom ones take tenths of a second each."""
    assert not set(loaded_after(RUN)) & set(SELDOM)
    assert set(loaded_after(RUN + "rc.leading")) & set(SELDOM) == {"sympy"}


@pytest.mark.smoke
def test_every_name_is_there_and_listed() -> None:
    assert sorted(rc.__all__) == rc.__all__
    for name in rc.__all__:
        assert getattr(rc, name) is not None
        assert name in dir(rc)
    public = {name for name in dir(rc) if not name.startswith("_")}
    assert public == set(rc.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'expectation'"):
        _ = rc.expectation  # type: ignore[attr-defined]


@pytest.mark.smoke
@pytest.mark.parametrize("name", NAMESPACES)
def test_every_namespace_says_what_it_has(name: str) -> None:
    namespace = getattr(rc, name)
    assert namespace.__doc__
    assert namespace.__all__
    for each in namespace.__all__:
        assert hasattr(namespace, each), each
        if name != "errors":  # whose classes say it themselves
            assert re.search(rf"\b{each}\b", namespace.__doc__), (
                f"{each} is not in the docstring of rc.{name}"
            )


def seen_by_type_checkers() -> dict[str, str]:
    """Name -> module, from the imports that are made under TYPE_CHECKING."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    return {
        alias.name: str(node.module) for node in imports for alias in node.names if alias.asname == alias.name
    }


def test_type_checkers_see_what_is_there() -> None:
    homes = {name: home for home, names in rc._HOMES.items() for name in names}
    assert seen_by_type_checkers() == homes | dict.fromkeys(rc._NAMESPACES, "ratecert")
    assert sorted(seen_by_type_checkers()) == rc.__all__


SCRIPT = """
import ratecert as rc

world = rc.worlds.scalar(s_f=0.5)
solver = rc.methods.LocalSGD(eta=0.01, rho_1=0.2, rho_2=1.0, p=8, theta=0.4, Q=20)
run: rc.results.ExactResult = rc.expect(world, solver, K=4, T=512, x0=[1.0], y0=[0.0])
slope: float = rc.fit_slope([1, 2], [3, 4]).value
findings: list[rc.results.Finding] = rc.lint()
try:
    rc.falsify("theorem-1", budget="few")  # type: ignore[arg-type]
except rc.errors.UserError:
    rc.expectation  # type: ignore[attr-defined]
one = rc.worlds.single_level([1.0, 2.0], s=0.5)
print(rc.simulate(one, rc.methods.SGD(alpha=0.1), K=2, T=10, x0=[1.0, 1.0], replicates=9, seed=0).gap)
rc.worlds.scaler()  # type: ignore[attr-defined]
"""


@pytest.mark.nightly
def test_a_users_script_is_checked(tmp_path: Path) -> None:
    """By mypy --strict, from another folder; an ignored mistake that it did not see would be one, too."""
    pytest.importorskip("mypy", reason="a tool of development")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_function_hides_behind_a_module() -> None:
    """`import ratecert.x` makes x an attribute of the package, so no function of the face may have such a name."""
    modules = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert modules & set(rc.__all__) == set(NAMESPACES)


# What is offered.


def test_every_world_and_every_algorithm_is_offered() -> None:
    assert {*solvers.ALGORITHMS, *solvers.ONE_LEVEL} <= set(rc.methods.__all__)
    for package, namespaces in ((synthetic, (rc.worlds,)), (solvers, (rc, rc.methods, rc.contract))):
        for name in set(package.__all__) - {"ALGORITHMS", "CONSTRUCTORS", "ONE_LEVEL"}:
            offered = [each for each in namespaces if name in each.__all__]
            assert any(getattr(each, name) is getattr(package, name) for each in offered), name


def test_every_exception_is_offered() -> None:
    """All are defined in base.errors, of which the face has every name."""
    elsewhere = {
        node.name
        for path in sources()
        if path.name != "errors.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(b).endswith(("Error", "Exception")) for b in node.bases)
    }
    assert elsewhere == {"TieError", "OneByOne"}  # caught where they are raised


def sources(folder: Path = PACKAGE) -> list[Path]:
    """Every module of the package, those behind the links included."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name != "__pycache__":
            found += sources(path)
        elif path.suffix == ".py":
            found.append(path)
    return found


# Nobody outside a paper names its modules.

A_PAPER = re.compile(r"\bratecert\.papers\.\w+")


def test_no_paper_is_named_outside_its_folder() -> None:
    assert A_PAPER.findall("from ratecert.papers.federated_bilevel.scalings import along")
    assert A_PAPER.findall('import_module(f"ratecert.papers.{key}")') == []
    outside = [path for path in sources() if PACKAGE / "papers" not in path.parents]
    named = {str(path.relative_to(PACKAGE)): A_PAPER.findall(path.read_text("utf-8")) for path in outside}
    assert {path: papers for path, papers in named.items() if papers} == {}


# It works.


def test_a_theorem_by_its_id() -> None:
    """In either version, of either paper, and as a paper itself."""
    assert [rc.paper().variant, rc.paper("repaired").variant] == ["printed", "repaired"]
    assert rc.paper(key="parallel-sgd").key == "parallel-sgd"
    assert rc.lint(rc.paper("printed")) == rc.lint() == rc.lint("federated-bilevel")
    assert rc.lint(variant="repaired") == rc.lint("parallel-sgd") == []
    world = rc.worlds.random_quadratic(d_x=2, d_y=2, mu=1.0, L_1=4.0, s_f=0.5, s_g=0.5, seed=1)
    found = rc.admissible("theorem-2", world, K=8, p=4, T=10**12, radius=10.0)
    for paper in ("repaired", rc.paper("repaired")):
        assert rc.evaluate(paper, "theorem-2", found.values).total == found.bound.total
    with pytest.raises(rc.errors.UserError, match="no statement has the id 'theorem-9'"):
        rc.admissible("theorem-9", world, K=8, p=4, T=10**12)


def test_what_can_be_meant_is_taken() -> None:
    """What is right: names of the notation, units of the corollary, a constant that is infinite without a radius."""
    known = rc.constants(rc.worlds.scalar(), theta=0.1, Q=3)
    assert "L_0" not in known
    assert known["theta"] == 0.1
    assert rc.constants({"mu": 2.0, "L_12": 1.0})["L_12"] == 1.0
    plan: dict[str, Any] = {"K": 2, "T": 100, "theta": 0.4}
    halved, plain = (rc.along("corollary-1", **plan, units=units) for units in ({"eta": 0.5}, {}))
    assert halved.solver.step_size(0) == plain.solver.step_size(0) / 2
    assert rc.along("federated-bilevel:corollary-1", **plan, units={}) == plain


def test_a_stored_counterexample_by_its_name(tmp_path: Path) -> None:
    """By two ways; the example of the docstring takes one."""
    name = next(name for name in rc.witnesses() if name.endswith("item.printed.simple"))
    assert rc.check_witness(name).confirmed
    assert rc.check_witness("theorem-1.printed-noise_u.simple").assumptions
    with pytest.raises(rc.errors.WitnessError, match=r"neither a file nor one of .*`ratecert check` lists"):
        rc.check_witness(tmp_path / "missing.toml")


# What its docstrings say.


def public_objects() -> dict[str, Any]:
    """Everything of the face that has a docstring of its own, by its name there."""
    found: dict[str, Any] = {name: getattr(rc, name) for name in rc.__all__ if name not in NAMESPACES}
    for namespace in NAMESPACES:
        module: ModuleType = importlib.import_module(f"ratecert.{namespace}")
        found |= {f"{namespace}.{name}": getattr(module, name) for name in module.__all__}
    return {name: value for name, value in found.items() if callable(value) and get_origin(value) is None}


A_PROBLEM = (*rc.contract.Devices.__mro__, CentredProblem)  # what a world implements is described there


def undescribed(value: type) -> Iterator[str]:
    """The public methods and properties of a class that say nothing, nor does the contract that they implement."""
    kinds = (property, cached_property, classmethod, staticmethod, FunctionType)
    for name in dir(value):
        found = inspect.getattr_static(value, name)
        ours = any(name in vars(c) for c in value.__mro__ if c.__module__.startswith(("ratecert", __name__)))
        if name.startswith("_") or not isinstance(found, kinds) or not ours:
            continue
        contract = (vars(protocol).get(name) for protocol in A_PROBLEM if name in vars(protocol))
        if not any(inspect.getdoc(each) for each in (found, *contract)):
            yield name


class Base:
    def told(self) -> None:
        """Say something."""


class Terse(Base):
    @property
    def size(self) -> int:
        return 0

    def told(self) -> None: ...  # as its base says

    def grad_x_f(self) -> None: ...  # of the contract

    def step(self) -> None: ...

    def _inside(self) -> None: ...


def test_every_public_object_and_every_public_method_has_a_docstring() -> None:
    objects = public_objects()
    assert [name for name, value in objects.items() if not (value.__doc__ or "").strip()] == []
    classes = {name: value for name, value in objects.items() if inspect.isclass(value)}
    assert len(classes) > 80
    assert {f"{name}.{method}" for name, value in classes.items() for method in undescribed(value)} == set()
    assert list(undescribed(Terse)) == ["size", "step"]


def examples(value: Any) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(recurse=False).find(
        value, value.__name__, module=False, globs=dict(vars(sys.modules[value.__module__]))
    )  # type: ignore[arg-type]
    return [test for test in found if test.examples]


@pytest.mark.by_night("sharpen")
@pytest.mark.parametrize("name", [name for name in public_objects() if examples(public_objects()[name])])
def test_the_examples_of_docstrings_run(name: str) -> None:
    (test,) = examples(public_objects()[name])
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said = io.StringIO()
    runner.run(test, out=said.write)
    assert runner.failures == 0, said.getvalue()


def test_every_function_has_an_example() -> None:
    functions = {
        name for name, value in public_objects().items() if "." not in name and inspect.isfunction(value)
    }
    assert {name for name in functions if not examples(getattr(rc, name))} == set()


def test_a_wrong_example_is_seen() -> None:
    def wrong() -> None:
        """Add.

        >>> 1 + 1
        3
        """

    (test,) = examples(wrong)
    assert doctest.DocTestRunner().run(test, out=lambda _: None).failed == 1
