from __future__ import annotations

import pytest
import stripe

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import START, charge, chargeback, inquiry, intent, invoice, warning
from .conftest import connect


def test_a_list_is_walked_forwards_and_backwards(shared: StripeDouble) -> None:
    client = connect(shared)
    shared.load([charge(customer="cus_pages", created=START + number // 2, amount=number) for number in range(1, 8)])
    first = client.v1.charges.list({"customer": "cus_pages", "limit": 3})
    assert ([item.amount for item in first.data], first.has_more) == ([7, 6, 5], True)
    walked = [item.amount for item in first.auto_paging_iter()]
    assert walked == [7, 6, 5, 4, 3, 2, 1]
    last = client.v1.charges.list({"customer": "cus_pages", "starting_after": first.data[2].id, "limit": 10})
    assert ([item.amount for item in last.data], last.has_more) == ([4, 3, 2, 1], False)
    back = client.v1.charges.list({"customer": "cus_pages", "ending_before": last.data[3].id, "limit": 2})
    assert ([item.amount for item in back.data], back.has_more) == ([3, 2], True)


def test_lists_filter_by_what_their_objects_refer_to(shared: StripeDouble) -> None:
    client = connect(shared)
    paid, other = charge(), charge()
    dispute, early = chargeback(paid, payment_intent=f"pi_{paid['id']}"), warning(paid)
    shared.load([intent(paid), paid, other, dispute, chargeback(other), early, warning(other)])
    assert [item.id for item in client.v1.charges.list({"payment_intent": paid["payment_intent"]}).data] == [paid["id"]]
    assert [item.id for item in client.v1.disputes.list({"charge": paid["id"]}).data] == [dispute["id"]]
    by_intent = client.v1.disputes.list({"payment_intent": paid["payment_intent"]})
    assert [item.id for item in by_intent.data] == [dispute["id"]]
    warnings = client.v1.radar.early_fraud_warnings.list({"charge": paid["id"]})
    assert [(item.id, item.actionable) for item in warnings.data] == [(early["id"], False)]


def test_lists_filter_by_time(shared: StripeDouble) -> None:
    client = connect(shared)
    made = [charge(customer="cus_time", created=START + hour * 3600) for hour in range(4)]
    shared.load(made)
    window = client.v1.charges.list({"customer": "cus_time", "created": {"gte": START + 3600, "lt": START + 3 * 3600}})
    assert [item.id for item in window.data] == [made[2]["id"], made[1]["id"]]
    exact = client.v1.charges.list({"customer": "cus_time", "created": START})
    assert [item.id for item in exact.data] == [made[0]["id"]]


def test_events_are_listed_by_type_and_types(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.customers.create({"email": "types@example.com"})
    client.v1.refunds.create({"charge": paid["id"]})
    one = client.v1.events.list({"type": "customer.created"}).data
    assert {event.type for event in one} == {"customer.created"}
    two = client.v1.events.list({"types": ["customer.created", "refund.created"], "limit": 2}).data
    assert [event.type for event in two] == ["refund.created", "customer.created"]
    assert client.v1.events.retrieve(two[0].id).data.object["charge"] == paid["id"]


def test_customers_and_charges_can_be_annotated(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge(metadata={"order": "7"})
    shared.load([paid])
    made = client.v1.customers.create({"email": "annotated@example.com"})
    named = client.v1.customers.update(made.id, {"name": "Ada", "metadata": {"case": "c1"}})
    assert (named.name, named.email) == ("Ada", "annotated@example.com")
    noted = client.v1.charges.update(paid["id"], {"description": "Order 7", "metadata": {"case": "c1", "order": ""}})
    assert (noted.description, noted.metadata.to_dict()) == ("Order 7", {"case": "c1"})
    told = [event.data.to_dict() for event in client.v1.events.list({"limit": 2}).data]
    assert told[0]["previous_attributes"]["metadata"] == {"case": None, "order": "7"}
    assert told[1]["previous_attributes"] == {"metadata": {"case": None}, "name": None}
    last = client.v1.events.list({"limit": 1}).data[0].id
    client.v1.charges.update(paid["id"], {"metadata": {"case": "c1"}})
    assert client.v1.events.list({"limit": 1}).data[0].id == last
    for missing in (
        lambda: client.v1.customers.update("cus_none", {}),
        lambda: client.v1.charges.update("ch_none", {}),
    ):
        with pytest.raises(stripe.InvalidRequestError) as error:
            missing()
        assert error.value.code == "resource_missing"


def test_customers_are_created_and_found_by_email(shared: StripeDouble) -> None:
    client = connect(shared)
    made = client.v1.customers.create({"email": "ada@example.com", "name": "Ada", "metadata": {"plan": "pro"}})
    found = client.v1.customers.list({"email": "ada@example.com"}).data
    assert [(item.id, item.name) for item in found] == [(made.id, "Ada")]
    assert client.v1.customers.list({"email": "bob@example.com"}).data == []


def test_what_was_loaded_can_be_read(shared: StripeDouble) -> None:
    client = connect(shared)
    shared.load(
        [
            invoice(id="in_1", customer="cus_reads", amount_due=4900),
            {"object": "subscription", "id": "sub_1", "customer": "cus_reads", "status": "past_due"},
            {"object": "subscription", "id": "sub_2", "customer": "cus_reads", "status": "canceled"},
        ]
    )
    assert client.v1.invoices.retrieve("in_1").amount_due == 4900
    assert [item.id for item in client.v1.invoices.list({"status": "open", "customer": "cus_reads"}).data] == ["in_1"]
    assert [item.id for item in client.v1.subscriptions.list({"customer": "cus_reads"}).data] == ["sub_1"]
    every = client.v1.subscriptions.list({"customer": "cus_reads", "status": "all"})
    assert {item.id for item in every.data} == {"sub_1", "sub_2"}


def test_expanded_paths_are_followed(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = chargeback(paid)
    shared.load([intent(paid), paid, dispute])
    expanded = client.v1.disputes.retrieve(dispute["id"], {"expand": ["charge.payment_intent"]})
    assert isinstance(expanded.charge, stripe.Charge)
    assert isinstance(expanded.charge.payment_intent, stripe.PaymentIntent)
    assert expanded.charge.payment_intent.latest_charge == paid["id"]
    listed = client.v1.disputes.list({"charge": paid["id"], "expand": ["data.charge"]})
    assert isinstance(listed.data[0].charge, stripe.Charge)
    assert client.v1.disputes.retrieve(dispute["id"]).charge == paid["id"]


def test_refunds_of_a_charge_come_only_expanded(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    refund = client.v1.refunds.create({"charge": paid["id"], "amount": 100})
    assert "refunds" not in client.v1.charges.retrieve(paid["id"]).to_dict()
    whole = client.v1.charges.retrieve(paid["id"], {"expand": ["refunds"]})
    assert whole.refunds is not None
    assert [item.id for item in whole.refunds.data] == [refund.id]


def test_expanded_objects_are_loaded_as_objects_of_their_own(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = chargeback(paid)
    dispute["charge"] = paid
    paid["refunds"] = {"object": "list", "data": [{"object": "refund", "id": "re_nested", "amount": 1, **_of(paid)}]}
    shared.load([dispute])
    assert client.v1.disputes.retrieve(dispute["id"]).charge == paid["id"]
    assert client.v1.charges.retrieve(paid["id"]).disputed is True
    assert client.v1.refunds.retrieve("re_nested").charge == paid["id"]


def _of(paid: dict[str, object]) -> dict[str, object]:
    return {"charge": paid["id"], "currency": paid["currency"]}


@pytest.mark.parametrize(
    ("params", "code", "param"),
    [
        ({"limit": "abc"}, "parameter_invalid_integer", "limit"),
        ({"limit": 0}, "parameter_invalid_integer", "limit"),
        ({"limit": 101}, "parameter_invalid_integer", "limit"),
        ({"wat": "x"}, "parameter_unknown", "wat"),
        ({"starting_after": "ch_none"}, "resource_missing", "starting_after"),
        ({"starting_after": "a", "ending_before": "b"}, None, None),
        ({"created": {"after": 1}}, "parameter_unknown", "created"),
        ({"expand": ["data.colour"]}, None, "expand"),
        ({"expand": ["charge"]}, None, "expand"),
    ],
)
def test_a_wrong_list_parameter_is_refused(
    shared: StripeDouble, params: stripe.params.ChargeListParams, code: str | None, param: str | None
) -> None:
    shared.load([charge()])
    with pytest.raises(stripe.InvalidRequestError) as error:
        connect(shared).v1.charges.list(params)
    assert (error.value.http_status, error.value.code, error.value.param) == (400, code, param)


def test_what_does_not_exist_is_not_found(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="No such charge: 'ch_none'") as error:
        connect(shared).v1.charges.retrieve("ch_none")
    assert (error.value.http_status, error.value.code) == (404, "resource_missing")
    with pytest.raises(stripe.InvalidRequestError, match="Unrecognized request URL") as error:
        connect(shared).v1.payouts.create({"amount": 1, "currency": "usd"})
    assert error.value.http_status == 404


def test_answers_name_their_request_and_echo_the_version(shared: StripeDouble) -> None:
    listed = connect(shared).v1.charges.list(options={"stripe_version": "2020-08-27"})
    assert listed.last_response is not None
    headers = {name.lower(): value for name, value in listed.last_response.headers.items()}
    assert headers["stripe-version"] == "2020-08-27"
    assert headers["request-id"].startswith("req_")


def test_a_dispute_about_an_unknown_charge_is_not_loaded(shared: StripeDouble) -> None:
    dispute = inquiry({"id": "ch_none", "amount": 1, "currency": "usd"})
    with pytest.raises(DoubleFailed, match="not loaded"):
        shared.load([dispute])
    with pytest.raises(stripe.InvalidRequestError):
        connect(shared).v1.disputes.retrieve(dispute["id"])


@pytest.mark.parametrize(
    "broken", [{"object": "charge"}, charge(amount=10.5), charge(amount=None), charge(amount=True)]
)
def test_a_broken_object_is_not_loaded(shared: StripeDouble, broken: dict[str, object]) -> None:
    with pytest.raises(DoubleFailed):
        shared.load([broken])
