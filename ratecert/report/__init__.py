"""What was found: results.json, figures, the HTML report, and what changed between two runs."""
