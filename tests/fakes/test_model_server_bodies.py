"""Whatever stands in a request, the model server reads it or refuses it, and never breaks."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck_fakes.modelserver.asked import Asked, Turn, heard, reply
from tck_fakes.modelserver.chat import CHAT
from tck_fakes.modelserver.messages import MESSAGES
from tck_fakes.modelserver.purpose import purpose_of
from tck_fakes.modelserver.responses import RESPONSES
from tck_fakes.modelserver.shaped import shaped
from tck_fakes.modelserver.wire import Answer, Json, Wire, apart, tokens

FIELDS = ["role", "content", "text", "type", "input", "messages", "system", "output", "tools", "format", "schema"]
WORDS = ["enum", "properties", "user", "tool_result", "message", "json_schema", "response_format", "output_config"]
NAMES = st.sampled_from([*FIELDS, *WORDS])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(NAMES, inside, max_size=4),
    max_leaves=12,
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=5).map(lambda body: {"model": "m", **body})


@pytest.mark.parametrize("wire", [MESSAGES, RESPONSES, CHAT], ids=lambda wire: wire.protocol)
@given(body=BODIES)
def test_a_body_is_read_or_refused(wire: Wire, body: Json) -> None:
    turns: tuple[Turn, ...] = ()
    with contextlib.suppress(ValueError):
        turns = wire.turns(body)
    assert purpose_of(body, turns) in {"turn", "title", "summary"}
    one = Asked(1, wire.protocol, "/", "m", streaming=False, turns=turns, credential="none")
    assert Asked.from_json(one.to_json()) == one
    assert len(heard(reply(one.prompts)) or ()) >= len(one.prompts)
    answer = Answer(1, "m", shaped(body, reply(one.prompts)), tokens("x"), 0)
    assert b"".join(wire.events(answer, body)).endswith(b"\n\n")
    assert json.dumps(wire.whole(answer))


@given(st.lists(st.sampled_from(["<reminder>", "</reminder>", "<system-reminder>", "</system-reminder>", "a", " "])))
def test_nothing_is_lost_where_a_user_s_words_are_told_apart(parts: list[str]) -> None:
    text = "".join(parts)
    own, added = apart(text)
    assert sorted((own + "".join(added)).replace(" ", "")) == sorted(text.replace(" ", ""))


@given(st.lists(st.sampled_from(["a", "b c", "", " ", "d.e"]), min_size=1).map(" ".join))
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    assert "".join(Answer(1, "m", text, 1, 0).parts()) == text
