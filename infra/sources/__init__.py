"""SQL over the connected systems. Kept empty: the child processes import it, and every import costs start time."""
