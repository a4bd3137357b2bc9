/** Stands in for examples/node-engine/sandbox.js: the same containers, asked of Docker's Engine API instead of its command. */

import { createHash } from "node:crypto";
import { request } from "node:http";
import { posix } from "node:path";

const HOME = "/home/agent";
const WORKSPACE = "/workspace";
const CLIENT_GRACE = 2_000;
const OUT = 1;

export class Sandbox {
  #socket;
  #life;
  #prefix;
  #clients = new Set();

  constructor({ base, life }) {
    this.#socket = process.env.DOCKER_HOST.replace("unix://", "");
    this.#life = life;
    this.#prefix = `node-engine-${createHash("sha256").update(base).digest("hex").slice(0, 10)}`;
    life.atEnd(() => this.#clients.forEach((client) => client.kill()));
  }

  get engineLabel() {
    return ["engine", this.#prefix];
  }

  legName(run, leg) {
    return `${this.#prefix}-run-${run}-${leg}`;
  }

  runOf(name) {
    const inside = name.startsWith(`${this.#prefix}-run-`) ? name.slice(`${this.#prefix}-run-`.length) : "";
    return /^(.+)-[0-9]+$/.exec(inside)?.[1] ?? null;
  }

  versionCommand(adapter, image) {
    const name = `${this.#prefix}-version-${adapter.id}-${Date.now().toString(36)}`;
    const body = {
      Image: image,
      Cmd: [adapter.cli, "--version"],
      Labels: Object.fromEntries([this.engineLabel, ["detects", adapter.id]]),
      HostConfig: { AutoRemove: true, NetworkMode: "none" },
    };
    return { name, args: { name, body } };
  }

  legCommand({ name, image, marks, worktree, readOnly, credentials, state, environment, argv }) {
    const [uid, gid] = [process.getuid(), process.getgid()];
    const parents = state === null ? [] : parentsOf(state.target);
    const temporary = [HOME, ...parents].map((path) => [path, `uid=${uid},gid=${gid},mode=0700`]);
    const body = {
      Image: image,
      Cmd: argv,
      User: `${uid}:${gid}`,
      WorkingDir: WORKSPACE,
      Env: Object.entries({ HOME, ...environment }).map(([key, value]) => `${key}=${value}`),
      Labels: Object.fromEntries([this.engineLabel, ...marks].map(([key, value]) => [key, String(value)])),
      HostConfig: {
        AutoRemove: true,
        ReadonlyRootfs: true,
        NetworkMode: "model-provider",
        Tmpfs: Object.fromEntries(temporary),
        Mounts: [
          mount(worktree, WORKSPACE, readOnly),
          ...credentials.map(({ source, target }) => mount(source, target, true)),
          ...(state === null ? [] : [mount(state.source, state.target, false)]),
        ],
      },
    };
    return { name, body };
  }

  /** Creates, attaches, waits and starts, as `docker run` does; `ended` gives the exit code, or null. */
  start({ name, body }, { stdout, stderr }) {
    const requests = new Set();
    let give;
    const ended = new Promise((resolve) => (give = resolve));
    const client = {
      ended: this.#life.guard(ended),
      kill: () => {
        requests.forEach((one) => one.destroy());
        this.#clients.delete(client);
        give(null);
      },
    };
    this.#clients.add(client);
    const alive = (hear) => (chunk) => this.#life.over || hear(chunk);
    this.#run(name, body, alive(stdout), alive(stderr), requests)
      .catch((error) => {
        stderr(Buffer.from(`${error.message}\n`));
        return error.missing ? 127 : null;
      })
      .then((code) => {
        this.#clients.delete(client);
        give(code);
      });
    return client;
  }

  async #run(name, body, stdout, stderr, requests) {
    const { Id: id } = await this.#call("POST", `/containers/create?name=${encodeURIComponent(name)}`, { body, requests });
    const streams = this.#attach(id, stdout, stderr, requests);
    await streams.open;
    // One that is started before anybody waits for it may be gone before.
    let waits;
    const waited = new Promise((resolve) => (waits = resolve));
    const waiting = this.#call("POST", `/containers/${id}/wait?condition=removed`, { requests, begun: waits });
    waiting.catch(waits);
    await waited;
    await this.#call("POST", `/containers/${id}/start`, { requests });
    const { StatusCode: code } = await waiting;
    await streams.over;
    return code;
  }

  #attach(id, stdout, stderr, requests) {
    let over;
    const open = new Promise((resolve, reject) => {
      over = new Promise((finish) => {
        const asked = request({
          socketPath: this.#socket,
          method: "POST",
          path: `/v1.44/containers/${id}/attach?stream=1&stdout=1&stderr=1`,
          headers: { Connection: "Upgrade", Upgrade: "tcp" },
        });
        requests.add(asked);
        asked.on("upgrade", (_, socket, first) => {
          requests.add(socket);
          let held = Buffer.from(first);
          const take = (chunk) => {
            held = Buffer.concat([held, chunk]);
            while (held.length >= 8 && held.length >= 8 + held.readUInt32BE(4)) {
              const end = 8 + held.readUInt32BE(4);
              (held[0] === OUT ? stdout : stderr)(held.subarray(8, end));
              held = held.subarray(end);
            }
          };
          take(Buffer.alloc(0));
          socket.on("data", take);
          socket.once("close", finish);
          socket.on("error", finish);
          resolve();
        });
        asked.on("response", (answer) => reject(new Error(`attach: ${answer.statusCode}`)));
        asked.on("error", reject);
        asked.end();
      });
    });
    return { open, over };
  }

  async remove(names) {
    for (const name of names) {
      try {
        await this.#call("DELETE", `/containers/${encodeURIComponent(name)}?force=1`);
      } catch (error) {
        if (error.status !== 404) return error.message;
      }
    }
    return null;
  }

  async stop(name, client) {
    const error = await this.remove([name]);
    const patience = setTimeout(() => client.kill(), CLIENT_GRACE);
    client.ended.finally(() => clearTimeout(patience));
    return error;
  }

  async named(marks) {
    const label = [this.engineLabel, ...marks].map(([key, value]) => `${key}=${value}`);
    const filters = encodeURIComponent(JSON.stringify({ label }));
    const rows = await this.#life.guard(this.#call("GET", `/containers/json?all=1&filters=${filters}`));
    return rows.map((row) => row.Names[0].slice(1));
  }

  #call(method, path, { body, requests, begun } = {}) {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
      const asked = request({ socketPath: this.#socket, method, path: `/v1.44${path}`, headers }, (answer) => {
        begun?.();
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const said = Buffer.concat(chunks).toString("utf8");
          if (answer.statusCode < 400) return resolve(said === "" ? null : JSON.parse(said));
          const { message } = JSON.parse(said);
          const missing = /executable file not found/.test(message);
          reject(Object.assign(new Error(message), { status: answer.statusCode, missing }));
        });
      });
      requests?.add(asked);
      asked.on("error", reject);
      asked.end(text);
    });
  }
}

function parentsOf(target) {
  const parents = [];
  for (let path = posix.dirname(target); path !== HOME && path !== "/"; path = posix.dirname(path)) parents.unshift(path);
  return parents;
}

function mount(source, target, readOnly) {
  return { Type: "bind", Source: source, Target: target, ReadOnly: readOnly };
}
