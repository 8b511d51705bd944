"""What a piece of text says, by small lexical rules: a complaint, a promise, a cancellation, a courtesy, a downgrade,
a double payment, an instruction to us.

A sentence counts, not a text: "no errors today, but please cancel the SSO ticket" is neither a complaint nor a
cancellation. What a text quotes or passes on belongs to whoever wrote it and is left out (plain.py).
The rules only ever classify; whatever else a text asks for has no effect.
"""

from __future__ import annotations

import re
from datetime import date

from shared.team import named_days
from shared.team.plain import is_foreign, own_words, passes_on, sentences, unquoted

_TROUBLE = re.compile(
    r"\b(tim(e|es|ed|ing)[ -]?outs?|tim(es|ed|ing) out|degrad\w*|outages?|down(time)?|unavailable|unusable|inaccessible"
    r"|errors?|error(ing|ed)|fail(s|ed|ing|ure|ures)?|broken?|breaks|crash\w*|slow\w*|hang(s|ing)?|stuck|spinn\w*"
    r"|500s?|50[234]|not (working|loading|opening|responding|available)"
    r"|never (got|received|arrived|came|activated)|not (been )?(delivered|activated|unlocked|received|upgraded)"
    r"|still (says|shows|locked|on (the )?(old|standard|basic|free|starter))|nothing (has )?changed"
    r"|(doesn.?t|does not|won.?t|will not|can.?t|cannot|couldn.?t) (work|load|open|respond|access|run|use|export))\b",
    re.IGNORECASE,
)
_NO_TROUBLE = re.compile(
    r"\b(no|without|zero|not (seen|had|seeing|having)|never|any|if|in case of)\b[^,.;]{0,40}"
    r"\b(errors?|outages?|downtime|failures?|time ?outs?|problems?|degrad\w*|issues?)\b"
    r"|\b(slow down|scal\w+ (\w+ )?down|break ?down|drop-?down|cut down|write down|working (fine|again|well))\b",
    re.IGNORECASE,
)

_TROUBLE_TOPIC = re.compile(
    _TROUBLE.pattern
    + r"|\b(blank|empty|missing|gone|lost|disappear\w*|bugs?|buggy|problems?|trouble|issues|(an|the|this|any) issue"
    r"|wrong|incorrect\w*"
    r"|nobody can|no one can"
    r"|(are|is|were|was|could|can|do|does|did)(n't| not) (\w+ )?(see|get|find|reach|log|sign|there)"
    r"|complain\w*|disappoint\w*|unacceptable|useless|fix(ed|es)?)\b",
    re.IGNORECASE,
)
"""Speaks of trouble in any sense; without being a plain complaint it is for a person to read."""

_FINE = re.compile(
    r"\b((no|without|zero) (errors?|outages?|downtime|failures?|problems?|issues?)( (today|at all|so far))?"
    r"|no problem|working (fine|again|well)|slow down|scal\w+ (\w+ )?down|drop-?down)\b",
    re.IGNORECASE,
)

_COMPENSATION = re.compile(
    r"\b(credit(s|ed|ing)?|refund(s|ed|ing)?|reimburs\w*|compensat\w*|pro-?rat\w+|money back)\b", re.IGNORECASE
)
_MONEY_BACK = re.compile(
    _COMPENSATION.pattern + r"|\b(revers(e|ed|al|ing)|return (what|the|our|us|my)|give (us|me) back"
    r"|(our|my|the|us|this) (\w+ ){0,4}back|pay (us )?back"
    r"|charge ?back|erstatt\w*|rückerstatt\w*|reembols\w*|rembours\w*|rimbors\w*)\b",
    re.IGNORECASE,
)
"""Speaks of money coming back in any sense."""

_COMMITMENT = re.compile(
    r"\b((we|i)\s*('ll|’ll| will|'re going to|’re going to| are going to|'d like to| shall| am going to|'m going to)"
    r"|(will|are|is|am|be) (going to )?(be )?(appl(y|ying|ied)|issu(e|ing|ed)|credit\w*|refund\w*|process\w*)"
    r"|you('ll|’ll| will) (get|receive|see|have)|(have|has) been approved|promis\w+|we owe you|happy to)",
    re.IGNORECASE,
)
_NO_COMMITMENT = re.compile(
    r"\b(not|never|cannot|can.?t|won.?t|unable|don.?t|no (credit|refund)\w*|ask(ed|ing)?"
    r"|(may|might|could) (be|get|receive|qualify|apply))\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(if|whether|unless|in case|once (we|it|they) (have|has|know))\b", re.IGNORECASE)

_PLAN = r"(subscription|plan|account|contract|renewal|membership|service|licen[cs]es?)"
_OTHER_THING = rf" (the|this|that|these|my|our|an?) (?!(\w+ ){{0,2}}{_PLAN})"
"""A thing that is no plan: a ticket, an invitation."""

_ENDING = r"(cancel|terminate|close|end|stop|discontinue)"
_FIRM = re.compile(
    rf"\b((please|kindly|(can|could|would|will) you( please)?) {_ENDING}\b(?!{_OTHER_THING})"
    r"|(decided|writing|going) to (cancel|terminate)|hereby (cancel|terminat)\w*"
    r"|notice of (cancellation|termination)|formal(ly)? cancel\w*|(please )?do ?(n.t|not) renew"
    r"|(please|kindly) do not (charge|bill) (us|me)|unsubscribe (us|me))\b",
    re.IGNORECASE,
)
"""Says it outright; that alternatives were considered before does not weaken it."""

_CANCEL = re.compile(
    r"\b((want|wish|like|need|have) to (cancel|terminate)"
    r"|(we|i)( are|'re|’re| am|'m|’m)? (cancel(l?ing|l?ed)?|terminat(e|ing))"
    rf"|{_ENDING} (my|our|the|this) {_PLAN}|stop (billing|charging) (us|me)"
    r"|(will|shall|would) not (be )?renew(ing)?|won.t (be )?renew(ing)?)\b",
    re.IGNORECASE,
)
_NO_REQUEST = re.compile(
    r"\b(not (yet )?(cancel\w*|terminat\w*|going to|want\w* to cancel)|n.t (want to )?cancel"
    r"|if (?!possible|needed|necessary)|whether|how (do|can|would|to)|what happens"
    r"|before (we|i|you|they|cancel\w*|deciding))\b",
    re.IGNORECASE,
)
"""Takes a request back, makes it depend on something, or asks how."""

_NO_CANCEL = re.compile(
    r"\b(evaluat\w*|consider\w*|thinking (about|of)|(might|may|could|would) (have to |want to |need to )?"
    r"(cancel|terminat|leave|end|stop)\w*)\b",
    re.IGNORECASE,
)
_MENTION = re.compile(r"\b(cancel\w*|terminat\w*|unsubscrib\w*|(not|n.t) renew\w*)\b", re.IGNORECASE)
_PERHAPS = re.compile(
    r"\b(cancel(l?ing|l?ed|lations?)?|terminat(e|ed|ing|ion)|unsubscrib\w*)\b(?=[\s,:]*(of )?($|[.!\n]"
    r"|(it|this|that|everything|effective|as (of|from)|from|immediately|with|by|our|my)\b"
    rf"|(the |this )?{_PLAN}\b))",
    re.IGNORECASE,
)

_ENDS = re.compile(
    r"\b(deactivat\w*|turn\w* off (the )?(auto\w*[ -]?)?renew\w*|turn\w* (the )?auto[ -]?renew\w* off"
    r"|(days?'?|weeks?'?|months?'?|this is (our|my)) notice\b|we (are|'re) leaving|we will leave|kündig\w*|kuendig\w*"
    r"|dar de baja|darnos de baja|résili\w*|resili\w*|annull?er\w*|disdir\w*|disdett\w*|opzeg\w*|cancelar\w*)",
    re.IGNORECASE,
)
"""Other ways to ask for an end, some of them in other languages."""

_HOW = re.compile(r"\b(how (do|can|would|to)|what happens|can we)\b", re.IGNORECASE)
_NARROWED = re.compile(
    r"\b(add-?ons?|only|keep|except|instead|end of|next (month|year|quarter|renewal)|in \d+ \w+|later)\b", re.IGNORECASE
)
"""Limits a request to a part, or to a time that has no date."""

_EFFECTIVE = re.compile(
    rf"\b(?:effective|as of|as from|from|on|by|until)(?: the)? (?:{named_days.DAY})\b", re.IGNORECASE
)
_KEEPS = re.compile(
    r"\b((ignore|disregard) (my|our|the|that|this)|(please|(we|i)( will|'ll| want to| would like to| decided to)) keep"
    r"|changed (our|my) mind|meant for"
    r"|(don't|do not) cancel|(want|like|decided) to (stay|keep|continue)|by mistake|retract\w*|withdraw\w*"
    r"|renew us)\b",
    re.IGNORECASE,
)

_TWICE = re.compile(
    r"\b((charged?|billed|paid|pay|took|taken|debited|shows?|booked)\b[^.!?\n]{0,60}"
    r"\b(twice|two times|2 times|2x|double)"
    r"|(twice|double)[ -](charged?|billed|billing|paid|payment|debited)|duplicates?( (charge|payment|transaction)s?)?"
    r"|two (identical |equal |same )?(charges|payments|transactions)|(second|same) (charge|payment) (again|twice))\b",
    re.IGNORECASE,
)
_NOT_TWICE = re.compile(
    r"\b(not|n't|never|no longer|thank\w*( you)? for|already|last (week|month|year))\b", re.IGNORECASE
)
"""Denies it, or speaks of one that is settled."""

_COURTESY = re.compile(r"\b(courtesy|goodwill|good-will|gesture|as a one-?off|make (it|this) go away)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"\b(ignore|disregard|forget|override|bypass) (all |any |the |your |these |those )*"
    r"(previous |prior |above |earlier )?(instructions?|rules?|polic(y|ies)|prompts?|guidelines?|guardrails?|checks?)\b"
    r"|^[^\w\n]{0,10}(system|assistant|developer)( (prompt|message|note))?\s*:"
    r"|\b(attention|note|instructions?|message) (to|for) (the )?(ai|a\.i\.|agents?|assistants?|bots?|llm|model)\b"
    r"|\byou are (now )?(an? |the )?(ai|assistant|agent|language model|bot)\b"
    r"|\b(ai|agents?|assistants?|bots?|llm) (reading|processing|handling) this\b"
    r"|\b(set|change) the (recipient|payee|approval|account)\b"
    r"|\b(approve|issue|execute) (this|the|a) (full )?(refund|credit|action)s? "
    r"(automatically|without (approval|review))\b"
    r"|</?(system|instructions?|prompt)>",
    re.IGNORECASE | re.MULTILINE,
)
_HOLD = re.compile(
    r"\b((do ?n.t|do not|never|not (to )?be|no) (suspend\w*|suspension|switch\w* (them |it )?off|cut\w* (them )?off"
    r"|turn\w* (them )?off)|(hold|holds|holding|pause|stop|block|waive)( off)?( on)?( any| the)? suspen\w*"
    r"|keep (them|it|the account|the service|service) (on|up|live|running|active))\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\?|\b(can|could|may|should|shall|please|pls|want|wish|hope|ask(s|ed|ing)?) ?(we|you|i|them)?\b", re.IGNORECASE
)
_MONEY = re.compile(r"[$€£¥]\s?\d|\b\d[\d,.]*\s?(usd|eur|gbp|dollars|euros)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"\b(please|can (you|we|i)|could (you|we|i)|would (like|want)|(we|i)( |.d )?(want|need|like|request|ask|expect)\w*"
    r"|requesting|asking for|give (us|me)|send (us|me))\b",
    re.IGNORECASE,
)
_NO_ASKING = re.compile(
    r"\b(how (do|does|can|long|would)|whether|what is your|do you (offer|have|give)|polic(y|ies)|no refund"
    r"|do(n.t| not) (want|need))\b",
    re.IGNORECASE,
)
_BILL = re.compile(
    r"\b(bill(s|ed|ing)?|invoic\w*|charg(e|es|ed|ing)|seats?|licen[cs]es?|price|paying)\b", re.IGNORECASE
)
_OBJECTS = re.compile(
    r"\b(wrong|incorrect\w*|too (many|much|high)|over-?(charg|bill)\w*|mistake\w*|dispute|disagree|should (only )?be"
    r"|never (agreed|ordered|asked|approved)|did(n.t| not) (agree|order|ask for|approve)|more than we"
    r"|not (right|correct|ours))\b",
    re.IGNORECASE,
)
_QUERIES = re.compile(
    r"\b(why|not|n't|only|never|too|more than|again|surpris\w*|explain|expected?|what is)\b", re.IGNORECASE
)
"""Wonders at something."""

_PLAN_CHANGE = re.compile(
    r"\b(plan change|change of plan|downgrad\w*|switched|moved|changed)\b[^:\n]{0,160}[:\s]\s*(from )?"
    r"(?P<old>[^:\n]{1,80}?)\s*(->|→|=>|\bto\b)\s*(?P<new>[^.\n]{1,80})",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\b(not|n.t|if|whether|may|might|consider\w*|evaluat\w*|ask(ed|ing|s)?|enquir\w*|inquir\w*|wants?|request\w*)\b",
    re.IGNORECASE,
)


def may_be_complaint(text: str) -> bool:
    """Whether it may report that something does not work: it is no plain complaint, and a person has to read it."""
    seen = unquoted(text)
    return not is_complaint(text) and (is_foreign(text) or _TROUBLE_TOPIC.search(_FINE.sub(" ", seen)) is not None)


def is_complaint(text: str) -> bool:
    """Whether it reports that something does not work."""
    return any(_TROUBLE.search(_NO_TROUBLE.sub(" ", sentence)) is not None for sentence in sentences(text))


def promise_in(text: str) -> str | None:
    """The sentence that commits to a credit or a refund. The caller has to know that a member of staff wrote it.

    A clause counts: "you could not use it, so we will issue a credit" promises; a condition anywhere in the sentence
    makes it none.
    """
    for sentence in sentences(text):
        if not _CONDITION.search(sentence) and any(_promises(clause) for clause in sentence.split(",")):
            return sentence.strip()
    return None


def _promises(clause: str) -> bool:
    commits = _COMPENSATION.search(clause) and _COMMITMENT.search(clause)
    return commits is not None and not _NO_COMMITMENT.search(clause)


def is_cancellation(text: str) -> bool:
    """Whether it asks for an end of the subscription; evaluating, asking how, or considering it does not count."""
    return any(_cancels(sentence) for sentence in sentences(text))


def may_be_cancellation(text: str) -> bool:
    """Whether it may ask for an end of the subscription in a way that only a person can tell from a request."""
    own = [sentence for sentence in sentences(text) if not _cancels(sentence)]
    return any(_perhaps(sentence) for sentence in own) or (passes_on(text) and mentions_cancelling(text))


def _perhaps(sentence: str) -> bool:
    if _FIRM.search(sentence) or (_ENDS.search(sentence) and not _NO_CANCEL.search(sentence)):
        return not _HOW.search(sentence)
    weakened = _NO_REQUEST.search(sentence) or _NO_CANCEL.search(sentence) or sentence.rstrip().endswith("?")
    return _PERHAPS.search(sentence) is not None and not weakened


def is_plain_cancellation(text: str) -> bool:
    """Whether it asks for an end of the subscription now: of nothing else, for no later day, and takes nothing back."""
    asked = [sentence for sentence in sentences(text) if _cancels(sentence)]
    return bool(asked) and not any(_NARROWED.search(sentence) for sentence in asked) and not takes_back(text)


def cancels_on(text: str, written: date) -> date | None:
    """The day from which it wants the subscription ended, where it names one."""
    found = _EFFECTIVE.search(own_words(text))
    return named_days.read(found, written) if found else None


def takes_back(text: str) -> bool:
    """Whether it may take back a request to cancel that was made before."""
    return _KEEPS.search(unquoted(text)) is not None


def mentions_cancelling(text: str) -> bool:
    """Whether it speaks of cancelling at all."""
    return _MENTION.search(unquoted(text)) is not None


def _cancels(sentence: str) -> bool:
    if _NO_REQUEST.search(sentence):
        return False
    weakened = _NO_CANCEL.search(sentence) or sentence.rstrip().endswith("?")
    return bool(_FIRM.search(sentence) or (_CANCEL.search(sentence) and not weakened))


def is_duplicate_claim(text: str) -> bool:
    """Whether it says that something was paid twice."""
    return any(
        _TWICE.search(sentence) is not None and _NOT_TWICE.search(sentence) is None for sentence in sentences(text)
    )


def is_instruction(text: str) -> bool:
    """Whether it looks like an instruction to whoever or whatever handles the case rather than a message to people.

    It talks of ignoring rules or prompts, poses as a system message, addresses an agent, or wants a recipient or an
    approval changed. Counting such texts is all that comes of it; approval policies may ask for more people then.
    """
    return _ADDRESSED.search(text) is not None


def holds_suspension(text: str) -> bool:
    """Whether it says that a customer is not to be switched off, or asks for that."""
    return any(_HOLD.search(sentence) is not None for sentence in sentences(text))


def forbids_suspension(text: str) -> bool:
    """Whether it decides that a customer is not to be switched off; asking for it, or a condition, decides nothing."""
    return any(
        _HOLD.search(sentence) and not _ASKED.search(sentence) and not _CONDITION.search(sentence)
        for sentence in sentences(text)
    )


def mentions_refund(text: str) -> bool:
    """Whether it speaks of money coming back at all."""
    return _MONEY_BACK.search(unquoted(text)) is not None or is_foreign(text)


def asks_for_refund(text: str) -> bool:
    """Whether a sentence of it asks for money back; asking how or whether refunds work does not count."""
    return any(
        _COMPENSATION.search(sentence) and _ASKING.search(sentence) and not _NO_ASKING.search(sentence)
        for sentence in sentences(text)
    )


def is_billing_complaint(text: str) -> bool:
    """Whether a sentence of it objects to a bill: an amount, an invoice, the number of seats."""
    return any(_BILL.search(sentence) and _OBJECTS.search(sentence) for sentence in sentences(text))


def may_be_billing_complaint(text: str) -> bool:
    """Whether it speaks of a bill in a way that may object to it, and that a person has to read."""
    asks = _BILL.search(unquoted(text)) is not None and _QUERIES.search(unquoted(text)) is not None
    return not is_billing_complaint(text) and (asks or is_foreign(text))


def is_courtesy(text: str) -> bool:
    """Whether it suggests paying something as a gesture rather than because it is owed."""
    words = own_words(text)
    return _COURTESY.search(words) is not None and (
        _COMPENSATION.search(words) is not None or _MONEY.search(words) is not None
    )


def leaves_tier(text: str, tier: str) -> bool:
    """Whether it records a move from a plan of this tier to another; asking about one does not count."""
    for sentence in sentences(text):
        change = None if _NO_CHANGE.search(sentence) else _PLAN_CHANGE.search(sentence)
        if change and names_word(change["old"], tier) and not names_word(change["new"], tier):
            return True
    return False


def names_word(text: str, word: str) -> bool:
    """Whether a text holds this word or these words, whatever the case, and not as a part of a longer word."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def phrases(service: str) -> tuple[str, ...]:
    """How people write the name of a service: audit-trail-svc, audit-trail, audit trail."""
    name = service.lower()
    bare = re.sub(r"[-_. ](svc|service|api|app|server|worker|backend)$", "", name)
    return tuple(dict.fromkeys([name, bare, re.sub(r"[-_.]", " ", bare)]))


def is_about(text: str, service: str) -> bool:
    """Whether a text names a service, or the feature that its name spells out, singular or plural."""
    words = own_words(text).lower()
    return any(re.search(rf"(?<![\w-]){re.escape(phrase).rstrip('s')}s?(?!\w)", words) for phrase in phrases(service))


def touches(text: str, service: str) -> bool:
    """Whether a customer who writes this can mean the service: by its name, or by the last word of it in some form.

    Customers say "trails are gone" where the service is audit-trail-svc.
    """
    noun = phrases(service)[-1].split()[-1].rstrip("s")
    return is_about(text, service) or (
        len(noun) >= 4 and re.search(rf"(?<!\w){re.escape(noun)}", own_words(text), re.IGNORECASE) is not None
    )


def names_company(text: str, name: str, others: frozenset[str] = frozenset()) -> bool:
    """Whether a text names this company itself, and not one of `others` whose longer name begins with the same words.

    A further capitalised word that makes another company of it ("... Group", "... Labs") does not name this one.
    """
    rest = text
    for other in sorted(others, key=len, reverse=True):
        if len(other) > len(name):
            rest = re.sub(re.escape(other), " ", rest, flags=re.IGNORECASE)
    pattern = (
        rf"(?<![\w-]){re.escape(name)}(?![\w-])(?!\s+(?i:group|labs?|holdings?|partners|ventures|studios?|corp|gmbh)\b)"
    )
    return re.search(pattern, rest, re.IGNORECASE) is not None
