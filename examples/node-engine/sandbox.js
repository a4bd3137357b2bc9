/** Containers, through the docker command: the command line of a leg (§17.2), its client, and its removal. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { posix } from "node:path";

const HOME = "/home/agent";
const WORKSPACE = "/workspace";
const CLIENT_GRACE = 2_000;
const GONE = /No such container|already in progress/i;

export class Sandbox {
  #environment;
  #life;
  #prefix;
  #clients = new Set();

  constructor({ path, base, life }) {
    this.#environment = { ...process.env, PATH: `${path}:${process.env.PATH ?? ""}` };
    this.#life = life;
    this.#prefix = `node-engine-${createHash("sha256").update(base).digest("hex").slice(0, 10)}`;
    life.atEnd(() => this.#clients.forEach((client) => client.kill("SIGKILL")));
  }

  /** All containers of this engine carry it, so that those of another engine on the host are let alone. */
  get engineLabel() {
    return ["engine", this.#prefix];
  }

  legName(run, leg) {
    return `${this.#prefix}-run-${run}-${leg}`;
  }

  /** The run that a container's name belongs to, or null. */
  runOf(name) {
    const inside = name.startsWith(`${this.#prefix}-run-`) ? name.slice(`${this.#prefix}-run-`.length) : "";
    return /^(.+)-[0-9]+$/.exec(inside)?.[1] ?? null;
  }

  versionCommand(adapter, image) {
    const name = `${this.#prefix}-version-${adapter.id}-${Date.now().toString(36)}`;
    const flags = ["--rm", "--name", name, "--network", "none", ...labels([this.engineLabel, ["detects", adapter.id]])];
    return { name, args: ["run", ...flags, image, adapter.cli, "--version"] };
  }

  legCommand({ name, image, marks, worktree, readOnly, credentials, state, environment, argv }) {
    const user = `${process.getuid()}:${process.getgid()}`;
    const [uid, gid] = user.split(":");
    const temporary = (path) => ["--tmpfs", `${path}:uid=${uid},gid=${gid},mode=0700`];
    const parents = state === null ? [] : parentsOf(state.target).flatMap(temporary);
    const variables = Object.entries({ HOME, ...environment }).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
    const mounts = [
      mount(worktree, WORKSPACE, readOnly),
      ...credentials.map(({ source, target }) => mount(source, target, true)),
      ...(state === null ? [] : [mount(state.source, state.target, false)]),
    ].flatMap((text) => ["--mount", text]);
    const box = ["--rm", "--name", name, "--user", user, "--workdir", WORKSPACE, "--read-only", "--network", "model-provider"];
    const marked = labels([this.engineLabel, ...marks]);
    return ["run", ...box, ...temporary(HOME), ...parents, ...marked, ...variables, ...mounts, image, ...argv];
  }

  /** Starts a client; `ended` gives its exit code, or null where it was killed or could not start. */
  start(args, { stdout, stderr }) {
    let client;
    try {
      client = spawn("docker", args, { env: this.#environment, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      stderr(Buffer.from(error.message));
      return { ended: Promise.resolve(null), kill() {} };
    }
    this.#clients.add(client);
    const alive = (hear) => (chunk) => this.#life.over || hear(chunk);
    client.stdout.on("data", alive(stdout));
    client.stderr.on("data", alive(stderr));
    const ended = new Promise((resolve) => {
      client.once("error", (error) => {
        stderr(Buffer.from(error.message));
        resolve(null);
      });
      client.once("close", (code) => resolve(code));
    }).finally(() => this.#clients.delete(client));
    return { ended: this.#life.guard(ended), kill: () => client.kill("SIGKILL") };
  }

  /** Removes containers whether they run or not; gives the error, or null. Killing a client would not do it. */
  async remove(names) {
    if (names.length === 0) return null;
    const { code, errors } = await this.#ask(["rm", "--force", ...names]);
    return code === 0 || GONE.test(errors) ? null : errors.trim() || `docker rm ended with ${code}`;
  }

  /** Removes the container of a client and gives the client some real time to notice. */
  async stop(name, client) {
    const error = await this.remove([name]);
    const patience = setTimeout(() => client.kill(), CLIENT_GRACE);
    client.ended.finally(() => clearTimeout(patience));
    return error;
  }

  async named(marks) {
    const filters = [this.engineLabel, ...marks].flatMap(([key, value]) => ["--filter", `label=${key}=${value}`]);
    const { output } = await this.#ask(["ps", "--all", ...filters, "--format", "{{.Names}}"]);
    return output.split("\n").map((line) => line.trim()).filter(Boolean);
  }

  async #ask(args) {
    let output = "";
    let errors = "";
    const client = this.start(args, { stdout: (chunk) => (output += chunk), stderr: (chunk) => (errors += chunk) });
    const code = await client.ended;
    return { code, output, errors };
  }
}

/** Docker would make them as root; each is a temporary file system of the container's user instead. */
function parentsOf(target) {
  const parents = [];
  for (let path = posix.dirname(target); path !== HOME && path !== "/"; path = posix.dirname(path)) parents.unshift(path);
  return parents;
}

function labels(marks) {
  return marks.flatMap(([key, value]) => ["--label", `${key}=${value}`]);
}

function mount(source, target, readOnly) {
  const fields = ["type=bind", `src=${source}`, `dst=${target}`, ...(readOnly ? ["readonly"] : [])];
  return fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
}
