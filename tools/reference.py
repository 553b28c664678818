"""The pages of docs/reference, made of the public face when the site is built: one for `ratecert`, one a namespace.

All that `__all__` lists is there, with its docstring; what is internal is documented in its own file alone.
"""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import ratecert as rc
from tools.markdown import plain, tabulated

NAMESPACES = [name for name in rc.__all__ if inspect.ismodule(getattr(rc, name))]
TOC = "```{{toctree}}\n:hidden:\n\n{}\n```\n"


def pages() -> dict[str, str]:
    """Name -> Markdown; the index says of each namespace what it is."""
    spaces = {name: getattr(rc, name) for name in NAMESPACES}
    rows = "".join(f"| [rc.{name}]({name}.md) | {_first(space)} |\n" for name, space in spaces.items())
    index = (
        "# Reference\n\nAll that is [public](../start.md#what-is-public). Letters are those of the mathematics: "
        "`K` devices, `T` iterations, `p` steps between averages, `Q` Hessian samples.\n\n| | |\n|---|---|\n"
        f"| [ratecert](face.md) | {_first(rc)} |\n{rows}\n" + TOC.format("\n".join(["face", *spaces]))
    )
    own = [name for name in rc.__all__ if name not in spaces]
    shown = set[int]()  # what is public under two names is described under the first
    found = {name: _page(f"rc.{name}", space, space.__all__, shown) for name, space in spaces.items()}
    return {"index": index, "face": _page("ratecert", rc, own, shown), **found}


def _page(title: str, module: ModuleType, names: list[str], shown: set[int]) -> str:
    lines = "\n".join(_directives(module, sorted(names, key=str.lower), shown))
    return f"# {title}\n\n```{{eval-rst}}\n.. automodule:: {module.__name__}\n\n{lines}\n```\n"


def _directives(module: ModuleType, names: list[str], shown: set[int]) -> Iterator[str]:
    for name in names:
        value = getattr(module, name)
        yield f".. auto{kind(value)}:: {module.__name__}.{name}"
        if inspect.isclass(value):
            yield "   :members:"
        if id(value) in shown:
            yield "   :no-index:"
        shown.add(id(value))
        yield ""


def kind(value: Any) -> str:
    """How Sphinx calls it."""
    if inspect.isclass(value):
        return "class"
    return "function" if inspect.isroutine(value) else "data"


def _first(value: Any) -> str:
    """The first sentence of its docstring."""
    return " ".join((value.__doc__ or "").partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


@tabulated("name", "what it is")
def names(space: str) -> Iterator[tuple[str, str]]:
    """Every name of a namespace, with the first sentence of its docstring."""
    for name in sorted(getattr(rc, space).__all__, key=str.lower):
        yield f"[`{name}`](reference/{space}.md)", plain(_first(getattr(getattr(rc, space), name)))
