"""The only way in: from paths, standard input, kubectl's answers and ResourceLists to a world."""
