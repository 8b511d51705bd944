"""A Cloud Tasks emulator: the service's own gRPC protocol, its retries, limits, headers and tokens. See README.md."""

from .clock import EmulatorClock
from .dispatcher import Dropped
from .emulator import Emulator, QueueCounts
from .identity import Signer
from .serving import RunningEmulator, connect

__all__ = ["Dropped", "Emulator", "EmulatorClock", "QueueCounts", "RunningEmulator", "Signer", "connect"]
