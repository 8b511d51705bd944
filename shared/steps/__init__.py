"""The steps of the pipeline. Each takes a request context, ports and identifiers, and contains no transport."""
