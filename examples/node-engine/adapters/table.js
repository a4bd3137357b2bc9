/** The adapters by their id, and what holds for all of them. */

import { isOlder } from "../versions.js";
import claudeCode from "./claude-code.js";
import codex from "./codex.js";
import copilot from "./copilot.js";
import grokBuild from "./grok-build.js";
import opencode from "./opencode.js";

export const API = "api";
export const LOCAL = new Map([claudeCode, codex, opencode, copilot, grokBuild].map((adapter) => [adapter.id, adapter]));
export const STATE_PATHS = [...LOCAL.values()].map((adapter) => adapter.sessionStatePath).filter((path) => path !== null);

export function isAdapter(id) {
  return id === API || LOCAL.has(id);
}

/** ISOLATE-10: a native id is matched as a whole; whatever does not match is no id. */
export function isId(adapterId, text) {
  return typeof text === "string" && LOCAL.get(adapterId)?.idPattern.test(text) === true;
}

export function isVerified(adapter, version) {
  return version !== null && adapter.verifiedFrom !== null && !isOlder(version, adapter.verifiedFrom);
}

export function hasLabel(adapter, version) {
  if (adapter.labelFrom === null) return false;
  return adapter.labelFrom === "0.0.0" || (version !== null && !isOlder(version, adapter.labelFrom));
}
