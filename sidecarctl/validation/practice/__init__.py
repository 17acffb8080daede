"""What nobody refuses, and what will hardly do what was meant, in modules by theme. Pure."""
