"""From paths, standard input, kubectl's answers and ResourceLists to a world: the only way in."""
