"""Invoices that failed to be paid: somebody or something follows up, by the reason of the decline.

Never a suspension: at most a ticket for the owner of the account.
"""
