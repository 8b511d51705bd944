"""Requests by people: money back without a dispute. What the sender writes is evidence; only our own records say who
they are, what they paid, and where money can go.
"""
