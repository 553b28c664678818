"""ratecert/shelf/verdicts.json: the verdicts of a whole run of `ratecert verify library`.

python -m tools.library_record results/library/results.json ratecert/shelf/verdicts.json
"""

import json
import sys
from pathlib import Path

from ratecert.base.files import write_text
from ratecert.report.results import read
from ratecert.shelf.record import from_results

if __name__ == "__main__":
    kept = from_results(read(Path(sys.argv[1])))
    lines = ",\n".join(
        json.dumps(record) for record in kept["statements"]
    )  # a statement a line, for short diffs
    head = json.dumps(kept["schema"])
    write_text(Path(sys.argv[2]), f'{{"schema": {head}, "statements": [\n{lines}\n]}}\n')
