/** GitHub Copilot CLI. It names its session in its last event only, and changes into the directory that it stored. */

const LONGEST_LABEL = 100;

export default {
  id: "copilot",
  cli: "copilot",
  resumableSessions: true,
  sessionStatePath: "/home/agent/.copilot/session-state",
  rotatesIds: false,
  idPattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  verifiedFrom: "1.0.73",
  labelFrom: "1.0.73",
  refusal: {
    texts: ["No session, task, or name matched", "was found but could not be loaded"],
    never: ["No authentication information found", "Permission denied"],
  },

  /** 1.0.24 knew neither option, so `hasLabel` stands for both. A part of a name is not the name, so a long one is left out. */
  fresh({ prompt, session, uuid, hasLabel }) {
    const id = session === null || !hasLabel ? [] : [`--session-id=${uuid}`];
    const label = id.length === 0 || [...session.name].length > LONGEST_LABEL ? [] : [`--name=${session.name}`];
    return ["copilot", `--prompt=${prompt}`, ...id, ...label, "--output-format", "json", "--allow-all-tools"];
  },

  resume({ prompt, session }) {
    const where = [`--resume=${session.resumeId}`, "-C", "/workspace"];
    return ["copilot", `--prompt=${prompt}`, ...where, "--output-format", "json", "--allow-all-tools"];
  },

  read(event) {
    const type = String(event.type);
    if (type === "result") return { id: event.sessionId, failed: Number(event.exitCode ?? 0) !== 0 };
    if (type === "session.error") return { failed: true, neverRefusal: true };
    if (type === "assistant.message") return { modelTurn: true, answer: event.data?.content ?? event.content ?? event.text };
    return { modelTurn: type.startsWith("assistant.") || type.startsWith("tool.") };
  },
};
