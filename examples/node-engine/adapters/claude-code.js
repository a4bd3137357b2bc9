/** Claude Code. It finds a session only from the directory in which it was made. */

const REFUSALS = ["No conversation found with session ID", "does not match any session title", "Failed to resume session"];

export default {
  id: "claude-code",
  cli: "claude",
  resumableSessions: true,
  sessionStatePath: "/home/agent/.claude/projects",
  rotatesIds: true,
  idPattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  verifiedFrom: "1.0.124",
  labelFrom: "2.1.197",
  refusal: { texts: REFUSALS, never: ["already in use"] },

  fresh({ prompt, session, uuid, hasLabel }) {
    const id = session === null ? [] : ["--session-id", uuid];
    const label = session === null || !hasLabel ? [] : [`--name=${session.name}`];
    return ["claude", "-p", ...id, ...label, "--output-format", "stream-json", "--verbose", "--", prompt];
  },

  resume({ prompt, session }) {
    return ["claude", "-p", `--resume=${session.resumeId}`, "--output-format", "stream-json", "--verbose", "--", prompt];
  },

  /** An error in the midst of a run names an id of its own; any other marked result is the provider's. */
  read(event) {
    const seen = { id: event.session_id };
    if (event.type === "assistant") seen.modelTurn = event.message?.model !== "<synthetic>";
    if (event.type !== "result") return seen;
    if (event.subtype === "error_during_execution") {
      const errors = Array.isArray(event.errors) ? event.errors.map(String) : [];
      seen.refusal = REFUSALS.some((text) => errors.some((error) => error.includes(text)));
      seen.text = errors.join("\n");
      seen.failed = true;
    } else if (event.is_error) {
      seen.failed = true;
      seen.neverRefusal = true;
    } else {
      seen.answer = event.result;
    }
    return seen;
  },
};
