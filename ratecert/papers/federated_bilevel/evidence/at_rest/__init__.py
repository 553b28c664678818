"""Where federated methods come to rest on devices that differ: closed forms, and the methods' own noise-free rounds."""
