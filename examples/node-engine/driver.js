/** The driver: the engine behind the kit's protocol, JSON-RPC 2.0, one object a line, over standard input and output. */

import { Scenario } from "./scenario.js";
import { STIMULI } from "./stimuli.js";
import { VIEWS } from "./views.js";

const VERSION = "0.1.0";
const LONGEST_LINE = 1_048_576;
const FEATURES = ["sessions", "mailbox.merge_request"];
const ADAPTERS = ["claude-code", "codex", "opencode", "copilot", "grok-build", "api"];
const SUPPORTED = new Set([
  ...FEATURES,
  ...ADAPTERS.map((id) => `adapter.${id}`),
  ...Object.keys(VIEWS).map((view) => `view.${view}`),
  ...Object.keys(STIMULI).map((type) => `stimulus.${type}`),
  "control.clock",
  "control.kill",
  "control.overwrite",
]);

const PARSE = -32700;
const REQUEST = -32600;
const METHOD = -32601;
const PARAMS = -32602;
const CANCELLED = -32800;
const UNSUPPORTED = -32001;
const ENGINE_FAILED = -32002;

class Fault extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

let scenario = null;

/** Each method with the params that it cannot do without. */
const METHODS = {
  initialize: [["protocol", "capabilities"], initialize],
  "scenario/open": [["workdir", "endpoints", "config"], open],
  "stimulus/send": [["type", "payload"], send],
  "clock/advance": [["now"], (params) => current().advance(params)],
  "barrier/quiesce": [["deadline_ms"], (params) => current().quiesce(params)],
  "state/query": [["view"], query],
  "state/overwrite": [["run", "native_session_id"], (params) => current().overwrite(params)],
  "engine/kill": [[], () => current().kill()],
  "engine/start": [[], () => current().start()],
  "scenario/close": [[], close],
  shutdown: [[], () => ({})],
};

function initialize({ protocol, capabilities }) {
  if (protocol !== 1) throw new Fault(PARAMS, `protocol ${protocol} is not spoken here, only 1`);
  return {
    protocol: 1,
    driver: { name: "node-engine-driver", version: VERSION },
    implementation: { name: "node-engine", version: VERSION, language: `Node ${process.versions.node}` },
    capabilities: Object.fromEntries(capabilities.map((name) => [name, SUPPORTED.has(name) ? "supported" : "unsupported"])),
    clock: "virtual",
  };
}

async function open(params) {
  if (scenario !== null) await close();
  scenario = new Scenario();
  return scenario.open(params);
}

function send(params) {
  if (!Object.hasOwn(STIMULI, params.type)) throw unsupported(`stimulus.${params.type}`);
  return current().send(params);
}

function query(params) {
  if (!Object.hasOwn(VIEWS, params.view)) throw unsupported(`view.${params.view}`);
  return current().query(params);
}

async function close() {
  const closing = current();
  scenario = null;
  return closing.close();
}

function current() {
  if (scenario === null) throw new Fault(PARAMS, "no scenario is open");
  return scenario;
}

function unsupported(capability) {
  return new Fault(UNSUPPORTED, `${capability} is not supported`, { capability });
}

const underWay = new Map();

async function answer(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    return tell({ id: null, error: { code: PARSE, message: error.message } });
  }
  if (request?.method === "$/cancel") return underWay.get(request.params?.id)?.();
  if (request?.jsonrpc !== "2.0" || typeof request.method !== "string" || request.id === undefined) {
    return tell({ id: request?.id ?? null, error: { code: REQUEST, message: "this is no request" } });
  }
  const cancelled = new Promise((_, reject) => {
    underWay.set(request.id, () => reject(new Fault(CANCELLED, "cancelled")));
  });
  try {
    tell({ id: request.id, result: await Promise.race([perform(request), cancelled]) });
  } catch (error) {
    tell({ id: request.id, error: describe(error) });
  } finally {
    underWay.delete(request.id);
  }
}

async function perform({ method, params = {} }) {
  if (!Object.hasOwn(METHODS, method)) throw new Fault(METHOD, `there is no method ${method}`);
  const [needed, act] = METHODS[method];
  const missing = needed.filter((name) => params?.[name] === undefined);
  if (missing.length > 0) throw new Fault(PARAMS, `${method} needs ${missing.join(", ")}`);
  return act(params);
}

function describe(error) {
  if (error instanceof Fault) return { code: error.code, message: error.message, ...(error.data && { data: error.data }) };
  process.stderr.write(`${error.stack}\n`);
  return { code: ENGINE_FAILED, message: error.message };
}

function tell(message) {
  const line = JSON.stringify({ jsonrpc: "2.0", ...message });
  if (Buffer.byteLength(line) < LONGEST_LINE) process.stdout.write(`${line}\n`);
  else tell({ id: message.id, error: { code: ENGINE_FAILED, message: "the answer is longer than a line may be" } });
}

process.on("unhandledRejection", (error) => process.stderr.write(`${error?.stack}\n`));

/** Lines end with "\n" alone: Node's own reader would also break them at U+2028, which JSON allows in a text. */
let unread = [];
process.stdin.on("data", (chunk) => {
  let rest = chunk;
  for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
    const line = Buffer.concat([...unread, rest.subarray(0, end)]).toString("utf8");
    unread = [];
    rest = rest.subarray(end + 1);
    if (line.trim() !== "") answer(line);
  }
  if (rest.length > 0) unread.push(rest);
});
process.stdin.on("end", () => process.exit(0));
