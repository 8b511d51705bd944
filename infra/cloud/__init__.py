"""Google Cloud on this machine: its emulators, every function in a process of its own, and a world's time."""
