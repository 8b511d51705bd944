"""`manthan ...`: everything a person can do with a case, from a terminal."""
