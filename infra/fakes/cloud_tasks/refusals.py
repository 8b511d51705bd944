"""Refusing a request as the service would: a status code and its words."""

from __future__ import annotations

import grpc


class Refusal(Exception):
    """The request is answered with this status; nothing has changed."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def not_found(message: str = "Requested entity was not found.") -> Refusal:
    """There is no such queue or task."""
    return Refusal(grpc.StatusCode.NOT_FOUND, message)


def already_exists(message: str = "Requested entity already exists") -> Refusal:
    """The name is taken, or was until recently."""
    return Refusal(grpc.StatusCode.ALREADY_EXISTS, message)


def failed_precondition(message: str) -> Refusal:
    """What the request builds on is not there."""
    return Refusal(grpc.StatusCode.FAILED_PRECONDITION, message)


def invalid(message: str) -> Refusal:
    """The request itself is wrong."""
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, message)


def unimplemented(what: str) -> Refusal:
    """The service can do this, the emulator cannot: better said than ignored."""
    return Refusal(grpc.StatusCode.UNIMPLEMENTED, f"The emulator does not support {what}.")
