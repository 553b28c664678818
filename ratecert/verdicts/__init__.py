"""The claims that follow from a paper's statements, and all claims of a paper."""
