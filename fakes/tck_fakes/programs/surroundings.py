"""Commands about what is round the containers: images, networks, and the daemon, which is none."""

from __future__ import annotations

from tck_fakes.daemon.about import information
from tck_fakes.daemon.defaults import VERSION
from tck_fakes.daemon.described import image, network
from tck_fakes.programs.call import Over, Process
from tck_fakes.programs.job import Job, RefusalError
from tck_fakes.programs.listing import describe, rendered

#: What the stand-in calls itself; clients that ask only want to know that a daemon answers.
_VERSION: dict[str, object] = {
    "Client": {
        "Version": "28.2.2",
        "ApiVersion": "1.50",
        "DefaultAPIVersion": "1.50",
        "GoVersion": "go1.24.3",
        "GitCommit": "e6534b4",
        "Os": "linux",
        "Arch": "amd64",
        "Context": "default",
    },
    "Server": VERSION,
}


def image_inspect(job: Job) -> Process:
    """Describe images: any is there."""
    return describe(job, [image(name) for name in job.words.positionals], [])


def images(job: Job) -> Process:
    """List the image that is asked for; which others there are, nobody can know."""
    named = job.words.positionals or tuple(
        value for name, _, value in (given.partition("=") for given in job.words.all("filter")) if name == "reference"
    )
    rows: list[dict[str, object]] = []
    for name in named:
        document = image(name)
        base, _, tag = name.rpartition(":") if ":" in name.rpartition("/")[2] else (name, "", "latest")
        short = str(document["Id"]).removeprefix("sha256:")[:12]
        shown = str(document["Id"]) if job.words.on("no-trunc") else short
        rows.append({"Repository": base, "Tag": tag, "ID": shown, "CreatedSince": "", "CreatedAt": "", "Size": "0B"})
    style = job.words.last("format")
    if job.words.on("quiet"):
        job.done("".join(f"{line['ID']}\n" for line in rows))
    elif style:
        job.done("".join(f"{rendered(style, line)}\n" for line in rows))
    else:
        heads = "REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\n"
        job.done(heads + "".join(f"{line['Repository']}   {line['Tag']}   {line['ID']}   -   0B\n" for line in rows))
    return Over()


def pull(job: Job) -> Process:
    """Say that the image is there."""
    name = job.words.positionals[0]
    if job.words.on("quiet"):
        job.done(f"{name}\n")
    else:
        job.done(f"Status: Image is up to date for {name}\n{name}\n")
    return Over()


def version(job: Job) -> Process:
    """Say which docker is imitated."""
    style = job.words.last("format")
    if style:
        job.done(f"{rendered(style, _VERSION)}\n")
    else:
        job.done(
            "Client:\n Version:           28.2.2\n API version:       1.50\n OS/Arch:           linux/amd64\n"
            "\nServer: session-tck stand-in\n Engine:\n  Version:          28.2.2\n  API version:      1.50\n"
        )
    return Over()


def info(job: Job) -> Process:
    """Say the little that is true of a daemon that is none."""
    data: dict[str, object] = information(job.daemon)
    style = job.words.last("format")
    lines = "".join(
        f" {name}: {value}\n" for name, value in data.items() if isinstance(value, str | int) and value != ""
    )
    job.done(f"{rendered(style, data)}\n" if style else f"Server:\n{lines}")
    return Over()


def network_create(job: Job) -> Process:
    """Make a network, which no container of a stand-in will ever reach anything through."""
    name = job.words.positionals[0]
    if name in job.daemon.networks:
        raise RefusalError(f"Error response from daemon: network with name {name} already exists")
    job.daemon.networks.append(name)
    job.done(f"{network(name)['Id']}\n")
    return Over()


def network_inspect(job: Job) -> Process:
    """Describe networks."""
    there = [name for name in job.words.positionals if name in job.daemon.networks]
    missing = [name for name in job.words.positionals if name not in there]
    faults = [f"Error response from daemon: network {name} not found" for name in missing]
    return describe(job, [network(name) for name in there], faults)


def network_ls(job: Job) -> Process:
    """List networks; a filter by name is the one that is known."""
    asked = [value for name, _, value in (given.partition("=") for given in job.words.all("filter")) if name == "name"]
    found = [name for name in job.daemon.networks if not asked or any(value in name for value in asked)]
    rows = [network(name) | {"ID": str(network(name)["Id"])[:12]} for name in found]
    style = job.words.last("format")
    if job.words.on("quiet"):
        job.done("".join(f"{line['ID']}\n" for line in rows))
    elif style:
        job.done("".join(f"{rendered(style, line)}\n" for line in rows))
    else:
        lines = (f"{line['ID']}   {line['Name']}   {line['Driver']}   local\n" for line in rows)
        job.done("NETWORK ID     NAME   DRIVER   SCOPE\n" + "".join(lines))
    return Over()


def network_rm(job: Job) -> Process:
    """Remove networks."""
    code = 0
    for name in job.words.positionals:
        if name in job.daemon.networks:
            job.daemon.networks.remove(name)
            job.channel.out(f"{name}\n")
        else:
            job.channel.err(f"Error response from daemon: network {name} not found\n")
            code = 0 if job.words.on("force") else 1
    job.done(code=code)
    return Over()
