"""The commands' options: every one that docker 28.2 has for `run`, and the usual ones of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tck_fakes.programs.flags import Flag, flags
from tck_fakes.programs.mounts import mount_fault


def _no_pair(value: str) -> str | None:
    return None if "=" in value else "bad format of filter (expected name=value)"


def _no_variable(value: str) -> str | None:
    return f"invalid environment variable: {value}" if value.startswith("=") or not value else None


def _no_label(value: str) -> str | None:
    return f"invalid label '{value}': empty name" if value.startswith("=") or not value else None


#: What `run` and `create` say about a container, and what a stand-in does something with.
_ACTED_ON = flags(
    switch="--init -i,--interactive --read-only --rm -t,--tty -q,--quiet --disable-content-trust",
    text="--cidfile --entrypoint --env-file --label-file --name --network --net --platform --pull --stop-signal"
    " --tmpfs -u,--user -v,--volume -w,--workdir",
    checked={"-a,--attach": lambda _: None, "-e,--env": _no_variable, "-l,--label": _no_label, "--mount": mount_fault},
)

#: What is recorded and otherwise without effect: a stand-in needs no memory, and reaches no network.
_RECORDED = flags(
    switch="--no-healthcheck --oom-kill-disable --privileged -P,--publish-all --use-api-socket",
    text="--add-host --annotation --blkio-weight-device --cap-add --cap-drop --cgroup-parent --cgroupns --cpuset-cpus"
    " --cpuset-mems --device --device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps"
    " --device-write-iops --dns --dns-option --dns-opt --dns-search --domainname --expose --gpus --group-add"
    " --health-cmd --health-interval --health-start-interval --health-start-period --health-timeout -h,--hostname"
    " --ip --ip6 --ipc --isolation --link --link-local-ip --log-driver --log-opt --mac-address --network-alias"
    " --net-alias --pid -p,--publish --restart --runtime --security-opt --storage-opt --sysctl --ulimit --userns --uts"
    " --volume-driver --volumes-from",
    number="--blkio-weight --cpu-count --cpu-percent --cpu-period --cpu-quota --cpu-rt-period --cpu-rt-runtime"
    " -c,--cpu-shares --health-retries --io-maxiops --memory-swappiness --oom-score-adj --pids-limit --stop-timeout",
    size="--io-maxbandwidth --kernel-memory -m,--memory --memory-reservation --memory-swap --shm-size",
    decimal="--cpus",
)

_CREATE = _ACTED_ON | _RECORDED
_RUN = _CREATE | flags(switch="-d,--detach --sig-proxy", text="--detach-keys")

#: Options of `run` that are witnessed among a container's limits.
LIMITS: frozenset[str] = frozenset(flag.name for flag in _RECORDED.values()) | {"init", "stop-signal"}

_FORMAT = flags(text="-f,--format")
_FILTER = {"-f,--filter": _no_pair}


@dataclass(frozen=True, slots=True)
class Command:
    """How a command is used: its usage line, its options, and how many further words it takes."""

    usage: str
    known: Mapping[str, Flag] = field(default_factory=dict[str, Flag])
    least: int = 0
    most: int | None = None
    #: Options may follow other words.
    mixed: bool = True


_SOME = "CONTAINER [CONTAINER...]"

COMMANDS: dict[str, Command] = {
    "run": Command("[OPTIONS] IMAGE [COMMAND] [ARG...]", _RUN, 1, mixed=False),
    "create": Command("[OPTIONS] IMAGE [COMMAND] [ARG...]", _CREATE, 1, mixed=False),
    "start": Command(
        f"[OPTIONS] {_SOME}", flags(switch="-a,--attach -i,--interactive --sig-proxy", text="--detach-keys"), 1
    ),
    "stop": Command(f"[OPTIONS] {_SOME}", flags(text="-s,--signal", number="-t,--timeout --time"), 1),
    "kill": Command(f"[OPTIONS] {_SOME}", flags(text="-s,--signal"), 1),
    "rm": Command(f"[OPTIONS] {_SOME}", flags(switch="-f,--force -v,--volumes"), 1),
    "wait": Command(_SOME, least=1),
    "logs": Command("[OPTIONS] CONTAINER", flags(switch="-f,--follow", text="-n,--tail"), 1, 1),
    "container prune": Command("[OPTIONS]", flags(switch="-f,--force", checked={"--filter": _no_pair}), most=0),
    "ps": Command(
        "[OPTIONS]",
        flags(switch="-a,--all --no-trunc -q,--quiet", text="--format", checked=_FILTER),
        most=0,
    ),
    "inspect": Command("[OPTIONS] NAME|ID [NAME|ID...]", _FORMAT | flags(switch="-s,--size", text="--type"), 1),
    "images": Command(
        "[OPTIONS] [REPOSITORY[:TAG]]",
        flags(switch="-a,--all --no-trunc -q,--quiet", text="--format", checked=_FILTER),
        most=1,
    ),
    "image inspect": Command("[OPTIONS] IMAGE [IMAGE...]", _FORMAT | flags(text="--platform"), 1),
    "pull": Command(
        "[OPTIONS] NAME[:TAG|@DIGEST]",
        flags(switch="-q,--quiet -a,--all-tags --disable-content-trust", text="--platform"),
        1,
        1,
    ),
    "attach": Command("[OPTIONS] CONTAINER", flags(switch="--no-stdin --sig-proxy", text="--detach-keys"), 1, 1),
    "network create": Command(
        "[OPTIONS] NETWORK",
        flags(
            switch="--internal --attachable --ipv4 --ipv6 --ingress",
            text="-d,--driver --gateway --ip-range --ipam-driver --ipam-opt --label -o,--opt --scope --subnet",
        ),
        1,
        1,
    ),
    "network inspect": Command("[OPTIONS] NETWORK [NETWORK...]", _FORMAT | flags(switch="-v,--verbose"), 1),
    "network ls": Command("[OPTIONS]", flags(switch="--no-trunc -q,--quiet", text="--format", checked=_FILTER), most=0),
    "network rm": Command("NETWORK [NETWORK...]", flags(switch="-f,--force"), 1),
    "version": Command("[OPTIONS]", _FORMAT, most=0),
    "info": Command("[OPTIONS]", _FORMAT, most=0),
}

#: Other spellings of the same commands.
ALIASES: dict[str, str] = {
    f"container {name}": name for name in ("run", "create", "start", "stop", "kill", "rm", "wait", "logs", "attach")
} | {
    "container inspect": "container inspect",
    "container remove": "rm",
    "container ls": "ps",
    "container list": "ps",
    "container ps": "ps",
    "image ls": "images",
    "image list": "images",
    "image pull": "pull",
    "network list": "network ls",
    "network remove": "network rm",
    "system info": "info",
}
COMMANDS["container inspect"] = Command("[OPTIONS] CONTAINER [CONTAINER...]", _FORMAT | flags(switch="-s,--size"), 1)

#: Options before the command: which daemon is asked, and how.
GLOBAL = flags(
    switch="-D,--debug --tls --tlsverify -v,--version",
    text="--config -c,--context -H,--host -l,--log-level --tlscacert --tlscert --tlskey",
)
