"""The gRPC service `google.cloud.tasks.v2.CloudTasks`, on the message classes of the client library itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Any, Final, TypeVar

import grpc
from google.cloud import tasks_v2
from google.protobuf import empty_pb2

from .emulator import Emulator
from .refusals import Refusal, invalid

SERVICE: Final = "google.cloud.tasks.v2.CloudTasks"
_CALLS_AT_ONCE: Final = 16
_TASKS_PER_PAGE: Final = 1000
_QUEUES_PER_PAGE: Final = 9800

T = TypeVar("T")


class Service:
    """Each method takes the request of the same name and returns its response. All raise Refusal."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator

    def create_queue(self, request: tasks_v2.CreateQueueRequest) -> tasks_v2.Queue:
        """CreateQueue."""
        return self._emulator.create_queue(request.parent, request.queue)

    def get_queue(self, request: tasks_v2.GetQueueRequest) -> tasks_v2.Queue:
        """GetQueue."""
        return self._emulator.queue(request.name)

    def list_queues(self, request: tasks_v2.ListQueuesRequest) -> tasks_v2.ListQueuesResponse:
        """ListQueues; its filter is ignored."""
        found = self._emulator.queues(request.parent)
        queues, token = _page(found, request.page_size or _QUEUES_PER_PAGE, request.page_token)
        return tasks_v2.ListQueuesResponse(queues=queues, next_page_token=token)

    def update_queue(self, request: tasks_v2.UpdateQueueRequest) -> tasks_v2.Queue:
        """UpdateQueue."""
        return self._emulator.update_queue(request.queue, list(request.update_mask.paths))

    def delete_queue(self, request: tasks_v2.DeleteQueueRequest) -> empty_pb2.Empty:
        """DeleteQueue."""
        self._emulator.delete_queue(request.name)
        return empty_pb2.Empty()

    def purge_queue(self, request: tasks_v2.PurgeQueueRequest) -> tasks_v2.Queue:
        """PurgeQueue."""
        return self._emulator.purge_queue(request.name)

    def pause_queue(self, request: tasks_v2.PauseQueueRequest) -> tasks_v2.Queue:
        """PauseQueue."""
        return self._emulator.set_paused(request.name, True)

    def resume_queue(self, request: tasks_v2.ResumeQueueRequest) -> tasks_v2.Queue:
        """ResumeQueue."""
        return self._emulator.set_paused(request.name, False)

    def create_task(self, request: tasks_v2.CreateTaskRequest) -> tasks_v2.Task:
        """CreateTask."""
        return self._emulator.create_task(request.parent, request.task, request.response_view)

    def get_task(self, request: tasks_v2.GetTaskRequest) -> tasks_v2.Task:
        """GetTask."""
        return self._emulator.task(request.name, request.response_view)

    def list_tasks(self, request: tasks_v2.ListTasksRequest) -> tasks_v2.ListTasksResponse:
        """ListTasks."""
        found = self._emulator.tasks(request.parent, request.response_view)
        tasks, token = _page(found, request.page_size or _TASKS_PER_PAGE, request.page_token)
        return tasks_v2.ListTasksResponse(tasks=tasks, next_page_token=token)

    def delete_task(self, request: tasks_v2.DeleteTaskRequest) -> empty_pb2.Empty:
        """DeleteTask."""
        self._emulator.delete_task(request.name)
        return empty_pb2.Empty()

    def run_task(self, request: tasks_v2.RunTaskRequest) -> tasks_v2.Task:
        """RunTask."""
        return self._emulator.run_task(request.name, request.response_view)


def _page(found: Sequence[T], size: int, token: str) -> tuple[Sequence[T], str]:
    """One page of what was found, and the token of the next one. A token is where its page begins."""
    if token and not (token.isascii() and token.isdecimal()):
        raise invalid("page_token is not one that was returned.")
    begin = int(token or 0)
    end = begin + max(1, size)
    return found[begin:end], str(end) if end < len(found) else ""


def serve(emulator: Emulator, address: str) -> tuple[grpc.Server, int]:
    """Serve the emulator at this address (port 0: any); the server, and the port it got. Raises OSError."""
    # Without this option a second emulator would share the port of a first one, each with half of the calls.
    server = grpc.server(
        futures.ThreadPoolExecutor(_CALLS_AT_ONCE, thread_name_prefix="call"), options=[("grpc.so_reuseport", 0)]
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, _handlers(Service(emulator))),))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise OSError(f"{address} cannot be listened on") from error
    server.start()
    return server, port


def _handlers(service: Service) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
    return {
        "CreateQueue": _handler(service.create_queue, tasks_v2.CreateQueueRequest),
        "GetQueue": _handler(service.get_queue, tasks_v2.GetQueueRequest),
        "ListQueues": _handler(service.list_queues, tasks_v2.ListQueuesRequest),
        "UpdateQueue": _handler(service.update_queue, tasks_v2.UpdateQueueRequest),
        "DeleteQueue": _handler(service.delete_queue, tasks_v2.DeleteQueueRequest),
        "PurgeQueue": _handler(service.purge_queue, tasks_v2.PurgeQueueRequest),
        "PauseQueue": _handler(service.pause_queue, tasks_v2.PauseQueueRequest),
        "ResumeQueue": _handler(service.resume_queue, tasks_v2.ResumeQueueRequest),
        "CreateTask": _handler(service.create_task, tasks_v2.CreateTaskRequest),
        "GetTask": _handler(service.get_task, tasks_v2.GetTaskRequest),
        "ListTasks": _handler(service.list_tasks, tasks_v2.ListTasksRequest),
        "DeleteTask": _handler(service.delete_task, tasks_v2.DeleteTaskRequest),
        "RunTask": _handler(service.run_task, tasks_v2.RunTaskRequest),
    }


def _handler(method: Callable[[Any], Any], request_class: Any) -> grpc.RpcMethodHandler[Any, Any]:
    """A method as gRPC calls it: refusals become status codes."""

    def call(request: Any, context: grpc.ServicerContext) -> Any:
        try:
            return method(request)
        except Refusal as refusal:
            context.abort(refusal.code, refusal.message)

    return grpc.unary_unary_rpc_method_handler(
        call, request_deserializer=request_class.deserialize, response_serializer=_serialized
    )


def _serialized(response: Any) -> bytes:
    """The client library's classes wrap the messages; an empty answer comes as the message itself."""
    raw = response if isinstance(response, empty_pb2.Empty) else type(response).pb(response)
    encoded: bytes = raw.SerializeToString()
    return encoded
