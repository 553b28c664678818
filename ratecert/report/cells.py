"""What a notebook shows of a theorem, and of a search: the statement typeset, the verdict, and the world in words."""

from markupsafe import Markup

from ratecert.report.typeset import formulas_of, in_print, mathml
from ratecert.search import rendering
from ratecert.search.finding import Outcome
from ratecert.theory.paper import Paper


def statement(source: Paper, id: str) -> Markup:
    """Its title and its formulas."""
    text = Markup("<h3>{}</h3>").format(source[id].title)
    for heading, formulas in formulas_of(source, id):
        text += Markup("<h4>{}</h4>").format(heading)
        for label, latex in formulas:
            text += Markup("<p>{} {}</p>").format(label, mathml(latex))
    return text


def outcome(found: Outcome) -> str:
    """The statement, and below it what the command `ratecert falsify` prints."""
    verdict, *lines = in_print(rendering.as_lines(found, {})).splitlines()
    text = statement(found.case.source, found.case.statement) + Markup("<h4>{}</h4>").format(verdict)
    return str(text + Markup("").join(Markup("<p>{}</p>").format(line.strip()) for line in lines))
