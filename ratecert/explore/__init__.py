"""The page of `ratecert explore`, on this machine: sliders move a method, a world, a theorem, and numbers follow."""
