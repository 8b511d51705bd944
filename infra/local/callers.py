"""Who may call a function on this machine: whoever is on it."""

from __future__ import annotations

import ipaddress

from shared.errors import Refused


class LoopbackCallers:
    """Trusts every caller on the loopback interface, and nobody from elsewhere; implements shared.ports.Callers.

    The embedded runtime and the emulators send no tokens that could be verified. Never for a port that others reach:
    behind a proxy on the same machine everybody seems to be here.
    """

    def require(self, authorization: str, peer: str) -> None:
        """Raises Refused for a caller from another machine."""
        try:
            here = ipaddress.ip_address(peer).is_loopback
        except ValueError:
            here = False
        if not here:
            raise Refused("only callers on this machine are served without a verified identity")
