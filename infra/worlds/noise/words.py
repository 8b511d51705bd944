"""The names that noise is made of: companies, people, services. All of them are invented."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST = _words(
    """
    Alder Banyan Beacon Birch Bluewater Bramble Cedar Cinder Cobalt Copper Coral Dovetail Driftwood Ember Falcon
    Fathom Fernhill Flint Foxglove Granite Harbor Hawthorn Heron Indigo Ironbridge Juniper Kestrel Kingfisher
    Lantern Larkspur Linden Lumen Maple Marlow Meridian Mosaic Nettle Oakridge Obsidian Orchard Osprey Paloma
    Pebble Pinecrest Polaris Quarry Redwood Ridgeline Rowan Sable Saffron Sequoia Sparrow Tamarind Thistle
    Tidewater Umber Verdant Willow Yarrow
    """
)

SECOND = _words(
    """
    Analytics Apparel Bakery Biotech Brewing Capital Ceramics Clinics Collective Coffee Consulting Dental Design
    Devices Energy Events Farms Films Fitness Foods Freight Furniture Games Health Hotels Insurance Interiors
    Labs Learning Legal Logistics Marine Media Mobility Outdoors Pharma Press Properties Robotics Schools
    Software Solar Sports Supply Textiles
    """
)

TWIN_ENDINGS = ("Labs", "Partners", "Ventures", "Foundry")

GIVEN = _words(
    """
    Aiko Amara Anders Beatriz Bilal Camille Chidi Daria Diego Elif Emeka Esther Farid Freya Gabor Greta Hana
    Hugo Ilse Ivan Jonas Julia Kaito Karim Leila Linnea Luca Mads Maren Mateo Mina Nadia Nikhil Oskar Paula
    Pedro Quinn Rania Rosa Samir Sofia Stefan Tara Theo Uma Viktor Wanda Yara Yusuf Zoe
    """
)

FAMILY = _words(
    """
    Abiola Andersson Bauer Castillo Chandra Costa Dimitrov Eriksen Fischer Fontaine Garcia Haddon Hughes Ibrahim
    Jansen Kapoor Keller Kowalski Laurent Lind Marchetti Mbeki Moreau Nakamura Novak Okonkwo Olsen Pereira
    Petrov Quist Rahman Rossi Santos Schmidt Silva Sorensen Tanaka Torres Ueda Vance Varga Weber Xu Yilmaz Zhang
    Zimmer
    """
)

TITLES = (
    "Head of Operations",
    "Data Analyst",
    "Finance Manager",
    "IT Administrator",
    "Product Manager",
    "Office Manager",
)

INDUSTRIES = ("Retail", "Healthcare", "Manufacturing", "Media", "Education", "Hospitality", "Professional services")

SERVICES = _words(
    """
    notifications-svc search-indexer media-proxy thumbnail-worker audit-trail-svc geo-lookup changelog-feed
    presence-svc
    """
)

TIERS = ("free", "trial", "sandbox", "education", "partner", "beta")
"""Tiers that noise incidents concern, less those that the facts know."""

PLANS = ("Starter Monthly", "Team Monthly", "Business Monthly")

LOG_LINES = ("cache miss ratio high", "retrying upstream", "slow query 2.1 s", "config reloaded", "queue depth 340")

ERRORS = (
    ("TimeoutError: upstream request timed out", "worker.tasks.sync"),
    ("KeyError: 'locale'", "app.views.profile"),
    ("ValidationError: color is not a hex code", "app.forms.brand"),
    ("BrokenPipeError: [Errno 32]", "media.stream"),
    ("TypeError: Cannot read properties of undefined (reading 'map')", "web/src/sidebar.tsx"),
    ("IntegrityError: duplicate key value in tags", "app.models.tag"),
    ("ChunkLoadError: Loading chunk 14 failed", "web/src"),
    ("UnicodeDecodeError: invalid start byte", "imports.csv"),
    ("RateLimited: geocoder", "geo.lookup"),
    ("AssertionError: avatar size", "media.avatar"),
    ("ConnectionResetError: peer", "presence.socket"),
    ("DeprecationWarning: old token format", "auth.token"),
)
"""What broke, and where."""
