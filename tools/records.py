"""What is stored of a run of `ratecert verify`, for pages, tests and `ratecert compare`.

    python -m tools.records baseline results/results.json docs/results.json
    python -m tools.records library results/library/results.json ratecert/report/verdicts.json

A baseline has verdicts and checks; charts, tables and settings are made again by a run. The library's verdicts stand
one statement a line, for short differences.
"""

import json
import sys
from pathlib import Path
from typing import Any

from ratecert.base.files import write_text
from ratecert.report.library import from_results
from ratecert.report.results import read, write

LEFT_OUT: dict[str, Any] = {"chart": None, "figures": [], "table": [], "settings": {}, "notes": []}

if __name__ == "__main__":
    what, results, target = sys.argv[1], read(Path(sys.argv[2])), Path(sys.argv[3])
    if what == "baseline":
        claims = [{**claim, **LEFT_OUT} for claim in results["claims"]]
        write({**results, "worlds": [], "errata": [], "claims": claims}, target)
    else:
        found = from_results(results)
        lines = ",\n".join(json.dumps(record) for record in found["statements"])
        write_text(target, f'{{"schema": {json.dumps(found["schema"])}, "statements": [\n{lines}\n]}}\n')
