"""Options as the docker command reads them; what is refused was compared with docker 28.2.2."""

from __future__ import annotations

import pytest

from tck_fakes.programs.flags import FlagError, read
from tck_fakes.programs.options import COMMANDS

RUN = COMMANDS["run"].known

READ = [
    ("image", [], ["image"]),
    ("-d image", [("detach", "true")], ["image"]),
    ("-di image", [("detach", "true"), ("interactive", "true")], ["image"]),
    ("-itd image", [("interactive", "true"), ("tty", "true"), ("detach", "true")], ["image"]),
    ("--rm=false image", [("rm", "false")], ["image"]),
    ("--rm false", [("rm", "true")], ["false"]),
    ("-d=0 image", [("detach", "0")], ["image"]),
    ("--name=x image", [("name", "x")], ["image"]),
    ("--name x image", [("name", "x")], ["image"]),
    ("--name -d image", [("name", "-d")], ["image"]),
    ("--name= image", [("name", "")], ["image"]),
    ("-eA=b image", [("env", "A=b")], ["image"]),
    ("-e=A=b image", [("env", "A=b")], ["image"]),
    ("-e A=b -e C image", [("env", "A=b"), ("env", "C")], ["image"]),
    ("-ie A=b image", [("interactive", "true"), ("env", "A=b")], ["image"]),
    ("-uroot image", [("user", "root")], ["image"]),
    ("-m 512m image", [("memory", "512m")], ["image"]),
    ("--memory-swap -1 image", [("memory-swap", "-1")], ["image"]),
    ("--cpus .5 image", [("cpus", ".5")], ["image"]),
    ("image claude -p --name x", [], ["image", "claude", "-p", "--name", "x"]),
    ("-- image -d", [], ["image", "-d"]),
    ("image -- x", [], ["image", "--", "x"]),
]


@pytest.mark.parametrize(("words", "given", "positionals"), READ)
def test_options_of_run_are_read_up_to_the_image(
    words: str, given: list[tuple[str, str]], positionals: list[str]
) -> None:
    found = read(words.split(), RUN, mixed=False)
    assert (list(found.given), list(found.positionals)) == (given, positionals)


def test_options_of_other_commands_may_follow_other_words() -> None:
    found = read(["x", "-f", "y", "--", "-z"], COMMANDS["rm"].known, mixed=True)
    assert (found.on("force"), found.positionals) == (True, ("x", "y", "-z"))


REFUSED = [
    ("--foo image", "unknown flag: --foo"),
    ("--foo=1 image", "unknown flag: --foo"),
    ("-z image", "unknown shorthand flag: 'z' in -z"),
    ("-itz image", "unknown shorthand flag: 'z' in -z"),
    ("-zit image", "unknown shorthand flag: 'z' in -zit"),
    ("-e", "flag needs an argument: 'e' in -e"),
    ("-ie", "flag needs an argument: 'e' in -e"),
    ("--name", "flag needs an argument: --name"),
    ("--rm=x a", 'invalid argument "x" for "--rm" flag: strconv.ParseBool: parsing "x": invalid syntax'),
    ("-d=x a", 'invalid argument "x" for "-d, --detach" flag: strconv.ParseBool: parsing "x": invalid syntax'),
    ("-m zz a", 'invalid argument "zz" for "-m, --memory" flag: invalid size: \'zz\''),
    ("--cpus x a", 'invalid argument "x" for "--cpus" flag: failed to parse x as a rational number'),
    ("--pids-limit x a", 'invalid argument "x" for "--pids-limit" flag: strconv.ParseInt: parsing "x": invalid syntax'),
    ("-e =x a", 'invalid argument "=x" for "-e, --env" flag: invalid environment variable: =x'),
    ("-l =x a", 'invalid argument "=x" for "-l, --label" flag: invalid label \'=x\': empty name'),
    ("--mount foo a", 'invalid argument "foo" for "--mount" flag: invalid field \'foo\' must be a key=value pair'),
    (
        "--mount type=bind,source=x a",
        'invalid argument "type=bind,source=x" for "--mount" flag: target is required',
    ),
    (
        "--mount type=bind,foo=bar,target=/y a",
        "invalid argument \"type=bind,foo=bar,target=/y\" for \"--mount\" flag: unexpected key 'foo' in 'foo=bar'",
    ),
    (
        "--mount type=bind,source=/x,target=/y,ro=maybe a",
        'invalid argument "type=bind,source=/x,target=/y,ro=maybe" for "--mount" flag: invalid value for ro: maybe',
    ),
]


@pytest.mark.parametrize(("words", "text"), REFUSED)
def test_what_docker_refuses_is_refused_in_its_words(words: str, text: str) -> None:
    with pytest.raises(FlagError) as caught:
        read(words.split(), RUN, mixed=False)
    assert str(caught.value) == text
