/** opencode. All its sessions live in one SQLite file, so each fresh start gets a file of its own. */

import { posix } from "node:path";

const STATE = "/home/agent/.local/state/opencode-sessions";
const OUTPUT = new Set(["text", "reasoning", "tool", "tool_use", "tool_call"]);

export default {
  id: "opencode",
  cli: "opencode",
  resumableSessions: true,
  sessionStatePath: STATE,
  rotatesIds: false,
  idPattern: /^ses_[0-9A-Za-z]{26}$/,
  verifiedFrom: "1.15.3",
  labelFrom: "0.0.0",
  refusal: {
    texts: ["Session not found", "NotFoundError", "database disk image is malformed", "file is not a database"],
    never: ["Unexpected server error", "Permission denied", "unable to open database file"],
    silence: true,
  },

  fresh({ prompt, session }) {
    const label = session === null ? [] : [`--title=${session.name}`];
    return ["opencode", "run", "--format", "json", ...label, "--", prompt];
  },

  resume({ prompt, session }) {
    return ["opencode", "run", "--format", "json", `--session=${session.resumeId}`, "--dir", "/workspace", "--", prompt];
  },

  /**
   * A damaged database never stands in the way of a fresh start: that one counts on. A link is never taken up, and
   * never written through either.
   */
  environment(session, entries) {
    const isFresh = session.resumeId === null;
    const highest = Math.max(0, ...entries.filter(({ isFile }) => isFresh || isFile).map(({ name }) => numberOf(name)));
    const number = isFresh ? highest + 1 : Math.max(1, highest);
    return { OPENCODE_DB: posix.join(STATE, `sessions-${number}.db`) };
  },

  read(event) {
    const seen = { id: event.sessionID, modelTurn: OUTPUT.has(event.type) };
    if (event.type === "error") return { ...seen, failed: true, neverRefusal: true };
    if (event.type === "text") seen.answer = event.part?.text ?? event.text;
    return seen;
  },
};

function numberOf(name) {
  return Number(/^sessions-([0-9]{1,9})\.db$/.exec(name)?.[1] ?? 0);
}
