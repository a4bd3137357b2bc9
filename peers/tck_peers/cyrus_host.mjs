// Runs Cyrus with a tracker of its own, as its developers' test server does, and with the CLI that the kit gives.
//
//   node cyrus_host.mjs run SETTINGS.json     serve until SIGTERM
//   node cyrus_host.mjs check FOLDER SCRATCH  say on standard output what of the seams below is missing, as JSON
//
// SETTINGS: folder (Cyrus, built), home (its own data), port, repository (a git repository), cli (the claude to start),
// tracker (the file in which the tracker is kept).
//
// Two things here are no public interface of Cyrus, and `check` looks whether they are still there:
// 1. EdgeWorker.createRunnerForType(type, config), through which every runner is made. ClaudeRunner has an option for the
//    path of its CLI, pathToClaudeCodeExecutable, that no setting reaches, so it is added to the config there.
// 2. EdgeWorker.issueTrackers, which holds the tracker by its workspace. It lives in the same process and forgets
//    everything at its end, but a tracker is the outside world and outlives the engine: what getState() gives is kept in
//    a file, and taken from it at the next start.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const WORKSPACE = "cli-workspace";
/** What of the tracker's state has to be a Map for it to be kept as it is here. */
const KEPT_MAPS = ["issues", "agentSessions", "comments", "agentActivities"];

function configured(settings) {
  return {
    platform: "cli",
    cyrusHome: settings.home,
    serverPort: settings.port,
    serverHost: "127.0.0.1",
    linearWorkspaces: { [WORKSPACE]: { linearToken: "unused" } },
    repositories: [
      {
        id: "repository",
        name: "repository",
        repositoryPath: settings.repository,
        baseBranch: "main",
        linearWorkspaceId: WORKSPACE,
        workspaceBaseDir: join(settings.home, "worktrees"),
        isActive: true,
      },
    ],
  };
}

async function edgeWorkerOf(folder) {
  const url = pathToFileURL(join(folder, "packages/edge-worker/dist/index.js"));
  return (await import(url.href)).EdgeWorker;
}

function stateOf(worker) {
  return worker.issueTrackers.get(WORKSPACE).getState();
}

function withCli(worker, cli) {
  const make = worker.createRunnerForType;
  worker.createRunnerForType = function (type, config) {
    return make.call(this, type, { ...config, pathToClaudeCodeExecutable: cli });
  };
}

/** JSON with a word for what JSON does not have: a Map, a Date. */
function packed(value) {
  if (value instanceof Map) return { map: [...value].map(([key, inner]) => [key, packed(inner)]) };
  if (value instanceof Date) return { date: value.toISOString() };
  if (Array.isArray(value)) return { list: value.map(packed) };
  if (value !== null && typeof value === "object")
    return { object: Object.entries(value).map(([key, inner]) => [key, packed(inner)]) };
  return { value };
}

function unpacked(value) {
  if ("map" in value) return new Map(value.map.map(([key, inner]) => [key, unpacked(inner)]));
  if ("date" in value) return new Date(value.date);
  if ("list" in value) return value.list.map(unpacked);
  if ("object" in value) return Object.fromEntries(value.object.map(([key, inner]) => [key, unpacked(inner)]));
  return value.value;
}

/** Take in what the tracker knew, and write it down again at everything that happens in it. */
function keep(worker, file) {
  const tracker = worker.issueTrackers.get(WORKSPACE);
  const state = tracker.getState();
  if (existsSync(file)) Object.assign(state, unpacked(JSON.parse(readFileSync(file, "utf8"))));
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(packed(state)));
    renameSync(`${file}.new`, file);
  };
  const emit = tracker.emit;
  tracker.emit = function (...happened) {
    const heard = emit.apply(this, happened);
    write();
    return heard;
  };
  return write;
}

async function run(settings) {
  const EdgeWorker = await edgeWorkerOf(settings.folder);
  const worker = new EdgeWorker(configured(settings));
  withCli(worker, settings.cli);
  const write = keep(worker, settings.tracker);
  worker.on("error", (error) => console.error(error));
  // As its own command does: a rejection that nobody handles is told, and is not the end.
  process.on("unhandledRejection", (reason) => console.error(reason));
  process.on("SIGTERM", async () => {
    await worker.stop();
    write();
    process.exit(0);
  });
  await worker.start();
}

async function check(folder, scratch) {
  const missing = [];
  const EdgeWorker = await edgeWorkerOf(folder);
  const make = EdgeWorker?.prototype?.createRunnerForType;
  if (typeof make !== "function" || make.length !== 2) missing.push("EdgeWorker.createRunnerForType(type, config)");
  for (const name of ["start", "stop"])
    if (typeof EdgeWorker?.prototype?.[name] !== "function") missing.push(`EdgeWorker.${name}()`);
  if (missing.length === 0) {
    const worker = new EdgeWorker(configured({ home: scratch, port: 1, repository: scratch }));
    try {
      const state = stateOf(worker);
      for (const name of KEPT_MAPS) if (!(state[name] instanceof Map)) missing.push(`${name} in the tracker's state`);
    } catch (error) {
      missing.push(`EdgeWorker.issueTrackers.get("${WORKSPACE}").getState() (${error.message})`);
    }
  }
  process.stdout.write(`${JSON.stringify({ missing })}\n`, () => process.exit(0));
}

const [what, ...rest] = process.argv.slice(2);
if (what === "run") await run(JSON.parse(readFileSync(rest[0], "utf8")));
else if (what === "check") await check(...rest);
else {
  console.error("cyrus_host.mjs: say run SETTINGS.json or check FOLDER SCRATCH");
  process.exit(2);
}
