"""Uploads for the evidence of disputes, with the limits that the bank has."""

from __future__ import annotations

import io

import pytest
import stripe
from stripe._base_address import BaseAddresses

from infra.fakes.stripe.process import StripeDouble

from .builders import JsonObject, charge, chargeback
from .conftest import READ_KEY, WRITE_KEY

PNG = b"\x89PNG\r\n\x1a\n"


def connect(double: StripeDouble, key: str = WRITE_KEY) -> stripe.StripeClient:
    """The official SDK; uploads go to another address than everything else."""
    addresses: BaseAddresses = {"api": double.url, "files": double.url}
    return stripe.StripeClient(key, base_addresses=addresses, max_network_retries=0)


def pdf(pages: int = 1, size: int = 0) -> bytes:
    body = b"%PDF-1.4\n" + b"<< /Type /Page >>\n" * pages + b"<< /Type /Pages >>\n%%EOF"
    return body + b" " * (size - len(body))


def uploaded(double: StripeDouble, content: bytes, name: str = "exhibit.pdf", key: str | None = None) -> stripe.File:
    file = io.BytesIO(content)
    file.name = name
    options: stripe.RequestOptions = {"idempotency_key": key} if key else {}
    return connect(double).v1.files.create({"purpose": "dispute_evidence", "file": file}, options)


def disputed(double: StripeDouble, **fields: object) -> JsonObject:
    paid = charge()
    dispute = chargeback(paid, **fields)
    double.load([paid, dispute])
    return dispute


def stage(double: StripeDouble, dispute: JsonObject, **files: str) -> stripe.Dispute:
    params: stripe.params.DisputeUpdateParams = {"evidence": {**files}, "submit": False}  # type: ignore[typeddict-item]
    return connect(double).v1.disputes.update(dispute["id"], params)


def test_an_upload_is_a_file_that_can_be_read(shared: StripeDouble) -> None:
    made = uploaded(shared, pdf())
    found = connect(shared).v1.files.retrieve(made.id)
    assert (found.filename, found.type, found.purpose) == ("exhibit.pdf", "pdf", "dispute_evidence")
    assert found.size == len(pdf())
    assert uploaded(shared, PNG, "scan.png").type == "png"


def test_the_same_key_gives_the_same_file_and_refuses_another(shared: StripeDouble) -> None:
    first = uploaded(shared, pdf(), key="upload-1")
    assert uploaded(shared, pdf(), key="upload-1").id == first.id
    with pytest.raises(stripe.IdempotencyError):
        uploaded(shared, pdf(2), key="upload-1")


@pytest.mark.parametrize("content", [b"", b"MZ a program", b"<html>", pdf(size=5 * 1024 * 1024 + 1)])
def test_empty_large_and_other_files_are_refused(shared: StripeDouble, content: bytes) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        uploaded(shared, content)


def test_only_evidence_is_taken(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="purpose"):
        connect(shared).v1.files.create({"purpose": "business_logo", "file": io.BytesIO(PNG)})


def test_a_restricted_key_that_only_reads_uploads_nothing(shared: StripeDouble) -> None:
    with pytest.raises(stripe.PermissionError):
        connect(shared, READ_KEY).v1.files.create({"purpose": "dispute_evidence", "file": io.BytesIO(PNG)})


def test_a_file_is_staged_and_one_that_does_not_exist_is_refused(shared: StripeDouble) -> None:
    dispute, file = disputed(shared), uploaded(shared, pdf())
    assert stage(shared, dispute, service_documentation=file.id).evidence.service_documentation == file.id
    with pytest.raises(stripe.InvalidRequestError, match="No such file upload: 'file_nowhere'"):
        stage(shared, dispute, receipt="file_nowhere")


def test_all_files_together_may_have_four_and_a_half_megabytes(shared: StripeDouble) -> None:
    dispute, half = disputed(shared), pdf(size=2_359_296)
    first, second, third = uploaded(shared, half), uploaded(shared, half), uploaded(shared, pdf())
    stage(shared, dispute, service_documentation=first.id, receipt=second.id)
    with pytest.raises(stripe.InvalidRequestError, match="combined size"):
        stage(shared, dispute, uncategorized_file=third.id)


@pytest.mark.parametrize(("brand", "most"), [("visa", 49), ("mastercard", 19)])
def test_more_pages_than_the_network_takes_are_refused_while_staging(
    shared: StripeDouble, brand: str, most: int
) -> None:
    details = {"type": "card", "card": {"brand": brand}}
    dispute = disputed(shared, payment_method_details=details)
    stage(shared, dispute, service_documentation=uploaded(shared, pdf(most)).id)
    with pytest.raises(stripe.InvalidRequestError) as refused:
        stage(shared, dispute, receipt=uploaded(shared, pdf(1)).id)
    assert refused.value.code == "dispute_evidence_page_limit_exceeded"
