"""Three estimators of the hypergradient side by side: their bias and their variance, each by several ways."""
