"""A tap on the line to Pub/Sub: every call goes on as it is, and what is published is known before its publisher is.

The emulator tells nobody what it still has to deliver. Without knowing that, a world's time could jump over a message.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from typing import Any, Final

import grpc
from google.pubsub_v1 import PublishResponse

from infra.cloud.traffic import Traffic

_PUBLISH: Final = "/google.pubsub.v1.Publisher/Publish"
_CALLS_AT_ONCE: Final = 16
_CALL_S: Final = 30.0


class Tap:
    """Listens on the loopback interface and forwards to the emulator at `address`, until it is closed."""

    def __init__(self, address: str, traffic: Traffic) -> None:
        self._traffic = traffic
        self._line = grpc.insecure_channel(address)
        self._server = grpc.server(
            futures.ThreadPoolExecutor(_CALLS_AT_ONCE, thread_name_prefix="tap"), options=[("grpc.so_reuseport", 0)]
        )
        self._server.add_generic_rpc_handlers((_Everything(self._forward),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        """host:port, where the emulator seems to be."""
        self._server.start()

    def close(self) -> None:
        """Forward nothing more."""
        self._server.stop(None).wait()
        self._line.close()

    def _forward(self, method: str, request: bytes, context: grpc.ServicerContext) -> bytes:
        call: Any = self._line.unary_unary(method)  # without serializers it takes and gives bytes
        try:
            answer: bytes = call(request, timeout=context.time_remaining() or _CALL_S)
        except grpc.RpcError as error:
            context.abort(error.code(), error.details() or "")
        if method == _PUBLISH:
            for message_id in PublishResponse.deserialize(answer).message_ids:
                self._traffic.published(message_id)
        return answer


class _Everything(grpc.GenericRpcHandler):
    """Handles whatever is called, as bytes."""

    def __init__(self, forward: Callable[[str, bytes, grpc.ServicerContext], bytes]) -> None:
        self._forward = forward

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        method = str(handler_call_details.method)
        return grpc.unary_unary_rpc_method_handler(lambda request, context: self._forward(method, request, context))
