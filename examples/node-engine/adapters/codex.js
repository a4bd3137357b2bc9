/** Codex. It starts anew without a word where the id is no UUID, so only proven ids may reach it. */

export default {
  id: "codex",
  cli: "codex",
  resumableSessions: true,
  sessionStatePath: "/home/agent/.codex/sessions",
  rotatesIds: false,
  idPattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  verifiedFrom: "0.122.0",
  labelFrom: null,
  refusal: {
    together: "thread/resume failed",
    texts: [
      "no rollout found",
      "thread not loaded",
      "is empty",
      "failed to read session metadata",
      "not valid UTF-8",
      "missing an ordinal",
      "is not supported yet",
    ],
    never: ["already has an active writer", "Permission denied"],
    neverExit: 2,
  },

  fresh({ prompt, readOnly }) {
    return [...start(readOnly), "--", prompt];
  },

  resume({ prompt, session, readOnly }) {
    return [...start(readOnly), "resume", "--", session.resumeId, prompt];
  },

  read(event) {
    if (event.type === "thread.started") return { id: event.thread_id };
    if (event.type === "turn.failed") return { failed: true, neverRefusal: true };
    if (!String(event.type).startsWith("item.") || event.item?.type === "error") return {};
    const answer = event.item?.type === "agent_message" ? event.item.text : undefined;
    return { modelTurn: true, answer };
  },
};

/** Options stand before `resume`: after it `-s` is an unknown one. */
function start(readOnly) {
  return ["codex", "exec", "--json", "--skip-git-repo-check", "-s", readOnly ? "read-only" : "workspace-write"];
}
