"""The model server, asked by the vendors' own packages: what they accept is what the vendors send."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import anthropic
import openai
import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam

from tck_fakes.modelserver.asked import heard
from tck_fakes.modelserver.faults import Fault
from tck_fakes.modelserver.server import ModelServer

FIRST, SECOND = "tck-0a1b2c3d", "tck-4e5f6071"
KEY = "sk-a-key-that-opens-nothing"
MODEL = "any"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(slow=0.2) as made:
        yield made


@pytest.fixture
def claude(server: ModelServer) -> Iterator[anthropic.Anthropic]:
    # Over loopback no certificate is needed, and reading those of the system takes longer than a test.
    http = anthropic.DefaultHttpxClient(verify=False)
    with anthropic.Anthropic(base_url=server.url, api_key=KEY, max_retries=0, timeout=30, http_client=http) as made:
        yield made


@pytest.fixture
def gpt(server: ModelServer) -> Iterator[openai.OpenAI]:
    http = openai.DefaultHttpxClient(verify=False)
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0, timeout=30, http_client=http) as made:
        yield made


def _message(claude: anthropic.Anthropic, *, streaming: bool = False) -> str:
    said: list[MessageParam] = [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": "Understood."},
        {"role": "user", "content": [{"type": "text", "text": SECOND}]},
    ]
    if not streaming:
        message = claude.messages.create(model=MODEL, max_tokens=99, messages=said)
    else:
        with claude.messages.stream(model=MODEL, max_tokens=99, messages=said) as stream:
            pieces = "".join(stream.text_stream)
            message = stream.get_final_message()
        assert message.content[0].type == "text"
        assert pieces == message.content[0].text
    assert (message.role, message.model, message.stop_reason) == ("assistant", MODEL, "end_turn")
    assert message.usage.input_tokens > 0
    assert message.usage.output_tokens > 1
    assert message.content[0].type == "text"
    return message.content[0].text


def _response(gpt: openai.OpenAI, *, streaming: bool = False) -> str:
    said: list[ResponseInputItemParam] = [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": "Understood."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SECOND}]},
    ]
    if not streaming:
        response = gpt.responses.create(model=MODEL, input=said)
    else:
        with gpt.responses.stream(model=MODEL, input=said) as stream:
            pieces = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
            final = stream.get_final_response()
        assert pieces == final.output_text
        response = final
    assert (response.status, response.model, response.error) == ("completed", MODEL, None)
    assert response.usage is not None
    assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens
    return response.output_text


def _completion(gpt: openai.OpenAI, *, streaming: bool = False) -> str:
    said: list[ChatCompletionMessageParam] = [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": "Understood."},
        {"role": "user", "content": [{"type": "text", "text": SECOND}]},
    ]
    if streaming:
        with gpt.chat.completions.stream(model=MODEL, messages=said, stream_options={"include_usage": True}) as stream:
            pieces = "".join(event.delta for event in stream if event.type == "content.delta")
            completion = stream.get_final_completion()
        assert pieces == completion.choices[0].message.content
        whole: ChatCompletion = completion
    else:
        whole = gpt.chat.completions.create(model=MODEL, messages=said)
    choice, usage = whole.choices[0], whole.usage
    assert (choice.finish_reason, choice.message.role) == ("stop", "assistant")
    assert usage is not None
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    return choice.message.content or ""


@pytest.mark.parametrize("streaming", [False, True])
class TestAnswers:
    def test_anthropic_messages(self, server: ModelServer, claude: anthropic.Anthropic, *, streaming: bool) -> None:
        assert heard(_message(claude, streaming=streaming)) == (FIRST, SECOND)
        assert [(one.protocol, one.streaming) for one in server.asked()] == [("messages", streaming)]

    def test_openai_responses(self, server: ModelServer, gpt: openai.OpenAI, *, streaming: bool) -> None:
        assert heard(_response(gpt, streaming=streaming)) == (FIRST, SECOND)
        assert [(one.protocol, one.streaming) for one in server.asked()] == [("responses", streaming)]

    def test_openai_chat_completions(self, server: ModelServer, gpt: openai.OpenAI, *, streaming: bool) -> None:
        assert heard(_completion(gpt, streaming=streaming)) == (FIRST, SECOND)
        assert [(one.protocol, one.streaming) for one in server.asked()] == [("chat", streaming)]

    def test_a_slow_answer_is_the_same(
        self, server: ModelServer, claude: anthropic.Anthropic, gpt: openai.OpenAI, *, streaming: bool
    ) -> None:
        server.always("slow")
        texts = {
            _message(claude, streaming=streaming),
            _response(gpt, streaming=streaming),
            _completion(gpt, streaming=streaming),
        }
        assert [heard(text) for text in texts] == [(FIRST, SECOND)]


def test_a_stream_of_responses_has_every_event_in_order(gpt: openai.OpenAI) -> None:
    with gpt.responses.create(model=MODEL, input=FIRST, stream=True) as stream:
        events = list(stream)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    kinds = list(dict.fromkeys(event.type for event in events))
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]


def test_a_stream_of_messages_has_every_event_in_order(claude: anthropic.Anthropic) -> None:
    with claude.messages.create(
        model=MODEL, max_tokens=9, messages=[{"role": "user", "content": FIRST}], stream=True
    ) as stream:
        kinds = list(dict.fromkeys(event.type for event in stream))
    assert kinds == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def test_models_and_lengths(claude: anthropic.Anthropic, gpt: openai.OpenAI) -> None:
    assert [one.id for one in claude.models.list()] == [one.id for one in gpt.models.list()]
    assert claude.models.retrieve("claude-x").id == "claude-x"
    assert gpt.models.retrieve("gpt-x").id == "gpt-x"
    counted = claude.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "x" * 400}])
    assert counted.input_tokens == 100
    assert gpt.responses.input_tokens.count(model=MODEL, input="x" * 400).input_tokens == 100


#: The class of error that each package makes of a failure.
ERRORS: dict[Fault, tuple[str, str]] = {
    "401": ("AuthenticationError", "AuthenticationError"),
    "403": ("PermissionDeniedError", "PermissionDeniedError"),
    "404": ("NotFoundError", "NotFoundError"),
    "429": ("RateLimitError", "RateLimitError"),
    "500": ("InternalServerError", "InternalServerError"),
    "529": ("OverloadedError", "InternalServerError"),
    "down": ("APIConnectionError", "APIConnectionError"),
    "hang": ("APITimeoutError", "APITimeoutError"),
}
#: Asks over a protocol, streaming or not, with so many seconds to wait.
Ways = dict[str, Callable[[bool, float], str]]


@pytest.fixture
def ways(claude: anthropic.Anthropic, gpt: openai.OpenAI) -> Ways:
    return {
        "messages": lambda streaming, wait: _message(claude.with_options(timeout=wait), streaming=streaming),
        "responses": lambda streaming, wait: _response(gpt.with_options(timeout=wait), streaming=streaming),
        "chat": lambda streaming, wait: _completion(gpt.with_options(timeout=wait), streaming=streaming),
    }


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("protocol", ["messages", "responses", "chat"])
class TestFailures:
    @pytest.mark.parametrize("fault", ERRORS)
    def test_a_failure_is_the_error_that_the_package_has_for_it(
        self, server: ModelServer, ways: Ways, protocol: str, fault: Fault, *, streaming: bool
    ) -> None:
        server.script(fault)
        with pytest.raises((anthropic.APIError, openai.APIError)) as failed:
            ways[protocol](streaming, 0.3 if fault == "hang" else 30)
        assert type(failed.value).__name__ == ERRORS[fault][protocol != "messages"]

    def test_an_answer_that_is_cut_is_an_error(
        self, server: ModelServer, ways: Ways, protocol: str, *, streaming: bool
    ) -> None:
        server.script("cut")
        with pytest.raises(Exception, match=r"(?i)connection error|peer closed|incomplete"):
            ways[protocol](streaming, 30)


@pytest.mark.parametrize("streaming", [False, True])
def test_an_overflow_can_be_told_from_other_bad_requests(
    server: ModelServer, claude: anthropic.Anthropic, gpt: openai.OpenAI, *, streaming: bool
) -> None:
    server.always("overflow")
    with pytest.raises(anthropic.BadRequestError, match=r"prompt is too long: [0-9]+ tokens > [0-9]+ maximum"):
        _message(claude, streaming=streaming)
    with pytest.raises(openai.BadRequestError) as failed:
        _completion(gpt, streaming=streaming)
    assert (failed.value.code, failed.value.param) == ("context_length_exceeded", "messages")


def test_an_overflow_of_responses_is_a_bad_request_without_a_stream(server: ModelServer, gpt: openai.OpenAI) -> None:
    server.script("overflow")
    with pytest.raises(openai.BadRequestError) as failed:
        _response(gpt)
    assert (failed.value.code, failed.value.param) == ("context_length_exceeded", "input")


def test_an_overflow_in_a_stream_of_responses_is_an_error_among_its_events(
    server: ModelServer, gpt: openai.OpenAI
) -> None:
    server.script("overflow")
    with gpt.responses.create(model=MODEL, input=FIRST, stream=True) as stream:
        assert next(stream).type == "response.created"
        assert next(stream).type == "response.in_progress"
        with pytest.raises(openai.APIError, match="exceeds the context window") as failed:
            next(stream)
    assert failed.value.code == "context_length_exceeded"


def test_a_package_tries_again_after_a_failure_that_passes(server: ModelServer, claude: anthropic.Anthropic) -> None:
    server.script("529", "429")
    assert heard(_message(claude.with_options(max_retries=2))) == (FIRST, SECOND)
    assert len(server.asked()) == 3


def test_a_key_is_known_by_its_digest_whichever_package_sends_it(
    server: ModelServer, claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    _message(claude)
    _response(gpt)
    assert len({one.credential for one in server.asked()}) == 1
    assert KEY not in repr(server.asked())
