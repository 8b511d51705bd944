"""Stripe's errors: status, type, code, parameter and message, as the SDK reads them.

    StripeError
    ├── Invalid        refused before execution began: never saved under an idempotency key
    ├── Refused        refused by the state of the account: saved and replayed like any other result
    └── Declined       a payment was tried and failed: saved too, and what the attempt left behind stays

Messages never carry keys, nor the text of evidence or metadata.
"""

from __future__ import annotations

from .wire import JsonObject, Response


class StripeError(Exception):
    """An answer other than 200, in the shape of Stripe's error object."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        details: JsonObject | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.code = code
        self.param = param
        self.details = details or {}

    def body(self) -> JsonObject:
        """The error object; as at Stripe, absent fields are left out rather than null."""
        error: JsonObject = {"message": self.message, "type": self.type}
        if self.code:
            error["code"] = self.code
            error["doc_url"] = f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}"
        if self.param:
            error["param"] = self.param
        return {"error": error | self.details}

    def response(self) -> Response:
        """The error as an HTTP answer."""
        return Response.of(self.body(), self.status)


class Invalid(StripeError):
    """The request itself is wrong, or not allowed: execution never began."""


class Refused(StripeError):
    """The request is well formed, but the state of the account does not allow it."""


class Declined(StripeError):
    """The card, or what stands behind it, did not pay; HTTP 402. `details` are the further fields of the error."""

    def __init__(self, message: str, *, code: str, details: JsonObject) -> None:
        super().__init__(message, status=402, type="card_error", code=code, details=details)


def missing(noun: str, id: str, *, param: str, status: int = 404) -> Refused:
    """No object of this kind has this id."""
    return Refused(f"No such {noun}: '{id}'", status=status, code="resource_missing", param=param)


def required(name: str) -> Invalid:
    """A parameter that the endpoint cannot do without."""
    return Invalid(f"Missing required param: {name}.", code="parameter_missing", param=name)


def unknown_parameter(name: str) -> Invalid:
    """A parameter that the endpoint does not know; `name` is its path, like `evidence[colour]`."""
    return Invalid(f"Received unknown parameter: {name}", code="parameter_unknown", param=name)


def internal() -> StripeError:
    """The double itself failed; saved under the idempotency key as Stripe does with its own 500s."""
    return StripeError("An unknown error occurred", status=500, type="api_error")
