/** The runtime settings of §23.3: what each accepts and where it can be set. */

import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, posix, resolve } from "node:path";
import { STATE_PATHS } from "./adapters/table.js";
import { isPrefix } from "./naming.js";

const NARROW = ["organization", "project"];
const WIDE = ["instance"];
const SCOPES = ["project", "organization", "instance"];

const SETTINGS = {
  AGENT_SESSION_RESUME: { initial: true, scopes: NARROW, accepts: "true or false", read: readBoolean },
  BRANCH_PREFIX: {
    initial: "agent/",
    scopes: NARROW,
    accepts: "at most 40 bytes that begin a branch name",
    read: (value) => (typeof value === "string" && isPrefix(value) ? value : undefined),
  },
  PHASE_TIMEOUT_MINUTES: { initial: 30, scopes: WIDE, ...wholeFrom(1) },
  LLM_MAX_RETRIES: { initial: 3, scopes: WIDE, ...wholeFrom(0) },
  LLM_RETRY_BACKOFF_SECONDS: { initial: 60, scopes: WIDE, ...wholeFrom(0) },
  LEASE_SECONDS: { initial: 60, scopes: WIDE, ...wholeFrom(3) },
  RECONCILE_SECONDS: { initial: 300, scopes: WIDE, ...wholeFrom(1) },
  RETENTION_DAYS: { initial: 30, scopes: WIDE, ...wholeFrom(1) },
  AGENT_CREDENTIAL_MOUNTS: {
    initial: [],
    scopes: WIDE,
    accepts: "pairs host:container, apart from the sessions of the engine and of every adapter",
    read: readMounts,
  },
};

function wholeFrom(least) {
  const read = (value) => (Number.isSafeInteger(value) && value >= least ? value : undefined);
  return { accepts: `a whole number from ${least}`, read };
}

function readBoolean(value) {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  return { true: true, false: false }[value.toLowerCase()];
}

/** Pairs as a list, or as text `host:container,host:container`. */
function readMounts(value, base) {
  const pairs = typeof value === "string" ? value.split(",").filter(Boolean).map(pairOf) : value;
  if (!Array.isArray(pairs)) return undefined;
  return pairs.every((pair) => isApart(pair, base)) ? pairs : undefined;
}

function pairOf(text) {
  const [source, target] = text.split(":");
  return { source, target };
}

/** ISOLATE-5: neither equal to, above nor below the session directories, on the host or in the container. */
function isApart({ source, target }, base) {
  if (!source || !target || !isAbsolute(source) || !posix.isAbsolute(target)) return false;
  const sessions = join(base, ".agent-sessions");
  const onHost = [resolve(source), real(source)];
  const ours = [resolve(sessions), real(sessions)];
  if (onHost.some((path) => ours.some((other) => overlap(path, other)))) return false;
  const inside = posix.resolve(target);
  return !STATE_PATHS.some((path) => overlap(inside, path));
}

function overlap(one, other) {
  const open = (path) => (path.endsWith("/") ? path : `${path}/`);
  return open(one).startsWith(open(other)) || open(other).startsWith(open(one));
}

/** With links followed as far as the path exists. */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path));
  }
}

export class Settings {
  #store;
  #base;

  constructor(store, base) {
    this.#store = store;
    this.#base = base;
  }

  /** Returns the text of the refusal, or null. */
  set({ scope, organization, project, name, value }) {
    const setting = SETTINGS[name];
    const shown = `${name} at scope ${place(scope, organization, project)}: ${JSON.stringify(value)}`;
    if (setting === undefined) return `${shown}: there is no such setting`;
    if (!setting.scopes.includes(scope)) return `${shown}: it can be set at scope ${setting.scopes.join(" or ")} only`;
    const accepted = value === null ? null : setting.read(value, this.#base);
    if (accepted === undefined) return `${shown} is not accepted; accepted is ${setting.accepts}`;
    this.#put({ scope, organization, project, name }, accepted);
    return null;
  }

  get(name, organization = "", project = "") {
    const places = { project: [organization, project], organization: [organization, ""], instance: ["", ""] };
    for (const scope of SCOPES) {
      const [ofOrganization, ofProject] = places[scope];
      const row = this.#find({ scope, organization: ofOrganization, project: ofProject, name });
      if (row !== undefined) return row.value;
    }
    return SETTINGS[name].initial;
  }

  #put(key, value) {
    this.#store.write((tables) => {
      tables.settings = tables.settings.filter((row) => !isAt(row, key));
      if (value !== null) tables.settings.push({ ...key, value });
    });
  }

  #find(key) {
    return this.#store.tables.settings.find((row) => isAt(row, key));
  }
}

const KEY = ["scope", "organization", "project", "name"];
const isAt = (row, key) => KEY.every((column) => row[column] === key[column]);

function place(scope, organization, project) {
  const named = [organization, project].filter(Boolean).join("/");
  return named === "" ? scope : `${scope} ${named}`;
}
