"""Early fraud warnings: a card issuer reports a charge as possible fraud, before anything is disputed.

A refund now costs the charge; a dispute later costs the charge and a fee, with some odds. Nothing is paid where the
charge is disputed already: then it is for the case of the dispute.
"""
