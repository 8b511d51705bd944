"""`manthan dev`: a world on its stage, every function on a port of its own, the queue delivering over HTTP."""
