"use strict";
// A driver: it puts your engine behind the protocol of session-tck, one JSON object a line on stdin and stdout.
//
// As it stands it supports nothing, and session-tck says so of every requirement. It becomes yours step by step:
// fill in a method of the first half, name in SUPPORTED what now works, run `session-tck driver check`. What each
// method is given and answers is described in docs/driver-protocol.md of session-tck, under the name of the method.
//
// It needs no package, and runs as a CommonJS and as an ES module.

// ------------------------------------------------------------------------------------------------ your engine

// Who drives, and what is driven. The versions are releases or commits, never the name of a branch.
const DRIVER = { name: "my-driver", version: "0.1.0" };
const IMPLEMENTATION = { name: "my-engine", version: "0.1.0", language: "javascript" };

// "virtual" where the engine takes its time from clock/advance, "wall" where it looks at the machine's clock.
const CLOCK = "wall";

// What works, such as "sessions", "adapter.codex", "view.sessions", "stimulus.run.due", "control.kill".
// Whatever is named here is used; docs/driver-protocol.md, "Capabilities", lists all the names.
const SUPPORTED = new Set([]);

// Says who answers, and which of the capabilities asked are supported.
async function initialize(params) {
  if (params.protocol !== 1) {
    throw new Fault(PARAMS_DO_NOT_FIT, `this driver speaks protocol 1, not ${params.protocol}`);
  }
  // params.directory is a folder for this process alone: the place for a database or a log of the engine.
  const support = (name) => [name, SUPPORTED.has(name) ? "supported" : "unsupported"];
  return {
    protocol: 1,
    driver: DRIVER,
    implementation: IMPLEMENTATION,
    capabilities: Object.fromEntries(params.capabilities.map(support)),
    clock: CLOCK,
  };
}

// Begins a scenario with an empty engine.
async function openScenario(params) {
  // Start the engine with params.config: its projects, bindings, settings, mounts and images. Keep its state under
  // config.base, put endpoints.path first on its PATH, and let its tracker and model clients talk to
  // endpoints.forge and endpoints.model. Then: return { refused: null }, or the engine's own text where it refuses
  // this configuration. docs/driver-protocol.md, "scenario/open".
  throw unsupported("sessions");
}

// Lets something happen to the engine.
async function sendStimulus(params, signal) {
  // Hand params.payload to the engine in the way in which it learns of params.type in real life: a webhook, an API
  // call, a row in its database. Then: return { run: id of the run or null, outcome: null, error: null }. Where you
  // wait for the engine, stop when signal.aborted. docs/driver-protocol.md, "stimulus/send", and the table of types and
  // payloads in "Stimuli".
  throw unsupported(`stimulus.${params.type}`);
}

// Lets time pass.
async function advanceClock(params) {
  // Set the clock of the engine to params.now, params.ms milliseconds later than it was, and let every deadline up
  // to there take effect, in order. Then: return { now: params.now }. docs/driver-protocol.md, "clock/advance".
  throw unsupported("control.clock");
}

// Gives what the engine has under way.
async function underWay() {
  // One { what: text, waits_for: "container", "clock", "run" or "work" } for each thing that is not done, with
  // container: its name where it waits for one. docs/driver-protocol.md, "barrier/quiesce".
  return [];
}

// Answers as soon as the engine is at rest, or when the deadline has passed.
async function quiesce(params, signal) {
  const deadline = performance.now() + params.deadline_ms;
  let pending = await underWay();
  while (pending.some((one) => one.waits_for === "work") && performance.now() < deadline && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    pending = await underWay();
  }
  // Add next_deadline where the engine has something to do by itself at a later time.
  return { idle: pending.length === 0, pending };
}

// Gives the rows of a view.
async function queryState(params) {
  // Read the rows of params.view from the engine's own bookkeeping, null where a column is not known. Then: return
  // { rows: [...] }. docs/driver-protocol.md, "state/query", and the columns of each view in "Views".
  throw unsupported(`view.${params.view}`);
}

// Overwrites the native id that the engine has stored for a run.
async function overwriteState() {
  // Write params.native_session_id where the engine keeps it for params.run, past the engine's own checks. Then:
  // return {}. The kit does it itself where it can reach the database. docs/driver-protocol.md, "state/overwrite".
  throw unsupported("control.overwrite");
}

// Ends the engine without warning, as a power cut would.
async function killEngine() {
  // SIGKILL the engine's own processes; containers, database and folders stay as they are. Then: return {}.
  // docs/driver-protocol.md, "engine/kill".
  throw unsupported("control.kill");
}

// Starts the engine again on what is there.
async function startEngine() {
  // As in openScenario, but on the state that the killed engine left. Then: return { refused: null }.
  // docs/driver-protocol.md, "engine/start".
  throw unsupported("control.kill");
}

// Ends the scenario.
async function closeScenario() {
  // End the engine of this scenario, and name in leaks the runs that were still under way.
  // docs/driver-protocol.md, "scenario/close".
  return { leaks: [] };
}

// Puts away what is left when the driver ends, after shutdown or at the end of standard input.
async function leave() {
  // End the engine and every process that this driver started; none may outlive it.
}

// Gets ready to end; the process ends as soon as this is answered.
async function shutdown() {
  return {};
}

// --------------------------------------------------------------------------- the wire: nothing to fill in below

const NOT_JSON = -32700;
const NO_REQUEST = -32600;
const UNKNOWN_METHOD = -32601;
const PARAMS_DO_NOT_FIT = -32602;
const INTERNAL = -32603;
const UNSUPPORTED = -32001;
const ENGINE_FAILED = -32002;
const CANCELLED = -32800;

// The bytes of a line, both ways.
const LIMIT = 1048576;

const METHODS = new Map([
  [
    "initialize",
    [initialize, { protocol: "integer", kit: "object", spec: "object", capabilities: "texts", directory: "text" }],
  ],
  [
    "scenario/open",
    [openScenario, { ref: "text", seed: "integer", workdir: "text", endpoints: "object", config: "object" }],
  ],
  ["stimulus/send", [sendStimulus, { type: "text", payload: "object" }]],
  ["clock/advance", [advanceClock, { ms: "integer", now: "text" }]],
  ["barrier/quiesce", [quiesce, { deadline_ms: "integer" }]],
  ["state/query", [queryState, { view: "text" }]],
  ["state/overwrite", [overwriteState, { run: "text", native_session_id: "text" }]],
  ["engine/kill", [killEngine, {}]],
  ["engine/start", [startEngine, {}]],
  ["scenario/close", [closeScenario, {}]],
  ["shutdown", [shutdown, {}]],
]);

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const FITS = {
  text: isText,
  integer: Number.isInteger,
  object: isObject,
  texts: (value) => Array.isArray(value) && value.every(isText),
};

// An error that the kit is told; throw new Fault(ENGINE_FAILED, text) where the engine crashed, hung or broke off.
class Fault extends Error {
  constructor(code, message, data) {
    super(message);
    this.error = data === undefined ? { code, message } : { code, message, data };
  }
}

function unsupported(capability) {
  return new Fault(UNSUPPORTED, `${capability} is unsupported`, { capability });
}

// Reads a line as a JSON object.
function parsed(line) {
  if (line.length > LIMIT) throw new Fault(NO_REQUEST, `the line is longer than ${LIMIT} bytes`);
  let message;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line));
  } catch (error) {
    throw new Fault(NOT_JSON, `the line is no JSON: ${error.message}`);
  }
  if (!isObject(message)) throw new Fault(NO_REQUEST, "a request is one object");
  return message;
}

// Calls a method with params that fit it.
async function called(method, params, signal) {
  if (!METHODS.has(method)) throw new Fault(UNKNOWN_METHOD, `there is no method ${method}`);
  const [call, members] = METHODS.get(method);
  if (!isObject(params)) throw new Fault(PARAMS_DO_NOT_FIT, "params is an object");
  for (const [name, kind] of Object.entries(members)) {
    if (!Object.hasOwn(params, name) || !FITS[kind](params[name])) {
      throw new Fault(PARAMS_DO_NOT_FIT, `${method} needs ${name}: ${kind}`);
    }
  }
  return await call(params, signal);
}

// Writes an answer as one line.
function encoded(id, answer) {
  let line;
  try {
    line = `${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`;
  } catch (error) {
    return encoded(id, { error: { code: INTERNAL, message: `the answer is no JSON: ${error.message}` } });
  }
  if (Buffer.byteLength(line) <= LIMIT) return line;
  return encoded(id, { error: { code: INTERNAL, message: `the answer is longer than ${LIMIT} bytes` } });
}

// What has come and is not answered yet: requests one after the other, and their signals by id, for $/cancel.
const running = new Map();
let last = Promise.resolve();

function receive(line) {
  let id = null;
  try {
    const message = parsed(line);
    if (isText(message.id)) id = message.id;
    if (message.jsonrpc !== "2.0" || !isText(message.method) || (id === null && Object.hasOwn(message, "id"))) {
      throw new Fault(NO_REQUEST, 'a request has jsonrpc "2.0", a method and an id that is a string');
    }
    if (id === null) {
      if (message.method === "$/cancel") running.get(message.params?.id)?.abort();
      return;
    }
    const control = new AbortController();
    running.set(id, control);
    const { method, params = {} } = message;
    last = last.then(() => work(id, method, params, control.signal));
  } catch (fault) {
    last = last.then(() => send(id, { error: fault.error }));
  }
}

async function work(id, method, params, signal) {
  let answer;
  try {
    answer = { result: (await called(method, params, signal)) ?? {} };
  } catch (fault) {
    if (!(fault instanceof Fault)) console.error("a fault of this driver:", fault);
    answer = { error: fault instanceof Fault ? fault.error : { code: INTERNAL, message: String(fault) } };
  }
  running.delete(id);
  await send(id, answer);
  if (method === "shutdown" && answer.result) await end();
}

function send(id, answer) {
  return new Promise((resolve) => process.stdout.write(encoded(id, answer), resolve));
}

async function end() {
  await leave();
  process.exit(0);
}

// Standard output is for the protocol alone. A child process that is given it by { stdio: "inherit" } would break
// that.
console.log = console.info = console.debug = console.error;
process.stdout.on("error", end);

let begun = [];
let length = 0;

function begin(piece) {
  // One byte more than allowed is enough to refuse the line.
  const kept = piece.subarray(0, Math.max(0, LIMIT + 1 - length));
  begun.push(kept);
  length += kept.length;
}

process.stdin.on("data", (chunk) => {
  let from = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
    begin(chunk.subarray(from, at));
    receive(Buffer.concat(begun));
    begun = [];
    length = 0;
    from = at + 1;
  }
  begin(chunk.subarray(from));
});

process.stdin.on("end", () => {
  for (const control of running.values()) control.abort();
  last.then(end);
  setTimeout(end, 1000); // whatever is still at work then has lost its kit
});
