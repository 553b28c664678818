"""Which algorithm a mistake reaches."""

BSGM, BSGVRM = ("LocalBSGM",), ("LocalBSGVRM",)
BOTH = (*BSGM, *BSGVRM)
