"""The emulator behind its two ports, and a client that speaks to it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import grpc
from google.cloud import tasks_v2
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcTransport

from .admin import Admin, AdminServer
from .emulator import Emulator
from .service import serve


def connect(address: str) -> tasks_v2.CloudTasksClient:
    """The official client, speaking without encryption or credentials to this address (host:port)."""
    return tasks_v2.CloudTasksClient(transport=CloudTasksGrpcTransport(channel=grpc.insecure_channel(address)))


class RunningEmulator:
    """An emulator that listens in this process, until it is closed."""

    def __init__(
        self, emulator: Emulator | None = None, *, host: str = "127.0.0.1", port: int = 0, admin_port: int = 0
    ) -> None:
        """Start it; port 0 is any that is free. Raises OSError when a port cannot be had."""
        self.emulator = emulator or Emulator()
        self._server, port = serve(self.emulator, f"{host}:{port}")
        self.address = f"{host}:{port}"
        """Where the service is, as host:port."""
        try:
            self._admin = AdminServer(host, admin_port, Admin(self.emulator, self.address))
        except OSError:
            self._server.stop(None)
            raise
        self.admin_url = self._admin.url
        """Where the admin interface is."""
        self.emulator.start()

    @property
    def certs_url(self) -> str:
        """Where the keys that verify its tokens are, as PEM by id."""
        return f"{self.admin_url}/oauth2/v1/certs"

    def client(self) -> tasks_v2.CloudTasksClient:
        """The official client, connected to it."""
        return connect(self.address)

    def close(self) -> None:
        """End it; its queues and tasks are gone."""
        self._server.stop(None).wait()
        self._admin.close()
        self.emulator.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
