"""What a claim is, how it is judged, run, drawn and written down; the claims themselves are in ratecert.claims."""
