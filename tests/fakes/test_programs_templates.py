"""Go's templates, as far as `--format` is used with them."""

from __future__ import annotations

import pytest

from tck_fakes.daemon.values import Free
from tck_fakes.programs.templates import TemplateError, render

DATA = {
    "Id": "abc",
    "State": {"Running": True, "ExitCode": 3, "Error": "", "None": None},
    "List": ["x", "y"],
    "Empty": [],
    "Mounts": [{"Source": "/a", "RW": True}, {"Source": "/b", "RW": False}],
    "Labels": Free({"a": "1", "b-c": "<2>"}),
}

RENDERED = [
    ("", ""),
    ("plain", "plain"),
    ("{{.Id}}", "abc"),
    ("{{ .Id }}-{{.State.ExitCode}}", "abc-3"),
    ("{{.State.Running}} {{.State.None}}", "true <no value>"),
    ("{{.List}} {{.Labels}}", "[x y] map[a:1 b-c:<2>]"),
    ("{{json .State}}", '{"Running":true,"ExitCode":3,"Error":"","None":null}'),
    ("{{json .Labels}}", '{"a":"1","b-c":"\\u003c2\\u003e"}'),
    ("{{.List | json}}", '["x","y"]'),
    ('{{index .Labels "b-c"}}|{{index .Labels "no"}}|{{.Labels.a}}', "<2>||1"),
    ("{{index .List 1}} {{len .List}}", "y 2"),
    ("{{(index .Mounts 0).Source}}", "/a"),
    ('{{join .List ","}} {{.Id | upper}}', "x,y ABC"),
    ("{{range .Mounts}}{{.Source}} {{end}}", "/a /b "),
    ("{{range .Empty}}x{{else}}none{{end}}", "none"),
    ("{{range .Mounts}}{{if .RW}}{{.Source}} of {{$.Id}}{{end}}{{end}}", "/a of abc"),
    ("{{range .Labels}}{{.}} {{end}}", "1 <2> "),
    ("{{if .State.Error}}bad{{else}}good{{end}}", "good"),
    ("{{if eq .State.ExitCode 0}}zero{{else if eq .State.ExitCode 3}}three{{else}}many{{end}}", "three"),
    ("{{if and .State.Running (not .State.Error)}}fine{{end}}", "fine"),
    ("{{if or .State.Error .Id}}some{{end}}", "some"),
    ("{{with .State}}{{.ExitCode}}{{end}}", "3"),
    ("{{with .State.Error}}{{.}}{{else}}no error{{end}}", "no error"),
    ('{{printf "%s is %d, %q" .Id .State.ExitCode .Id}}', 'abc is 3, "abc"'),
    ("{{println .Id}}{{print .Id}}", "abc\nabc"),
    ("a {{- .Id -}} b", "aabcb"),
    ('{{/* nothing */}}{{`raw`}}{{"a\\tb"}}', "rawa\tb"),
    ('{{slice .Id 1}} {{slice .Id 0 2}} {{ne .Id "x"}}', "bc ab true"),
]


@pytest.mark.parametrize(("template", "text"), RENDERED)
def test_a_template_is_carried_out(template: str, text: str) -> None:
    assert render(template, DATA) == text


FAULTS = [
    ("{{.Id", False),
    ("{{}}", False),
    ("{{if .Id}}x", False),
    ("x{{end}}", False),
    ("{{if .Id}}a{{else}}b", False),
    ("{{.Foo}}", True),
    ("{{.Id.Foo}}", True),
    ("{{pad .Id 1}}", True),
    ("{{.Id .Id}}", False),
    ("{{len .State.ExitCode}}", True),
    ("{{index .List 7}}", True),
    ("{{$x := .Id}}", True),
    ("{{.Id | }}", False),
    ("{{(len .Id}}", False),
]


@pytest.mark.parametrize(("template", "unknown"), FAULTS)
def test_a_template_that_cannot_be_carried_out_says_whose_lack_that_is(template: str, unknown: bool) -> None:  # noqa: FBT001 -- a row of the table
    with pytest.raises(TemplateError) as caught:
        render(template, DATA)
    assert caught.value.unknown is unknown
