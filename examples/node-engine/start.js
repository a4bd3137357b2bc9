/** How a leg is started: argument vector, environment, labels and mounts of its container (§16.5.1, §17.2). */

import { randomUUID } from "node:crypto";
import { hasLabel } from "./adapters/table.js";
import { marksOf } from "./mailboxes.js";
import { READ_ONLY } from "./states.js";

/** A fresh leg is built here alike, whether it is a first run or follows a refusal (FALLBACK-19). */
export function startOf(engine, run, { plan, prompt, session, number }) {
  const { adapter, image, version } = plan;
  const { directories, sandbox, settings } = engine;
  const readOnly = READ_ONLY.has(run.event.phase);
  const state = session === null ? null : directories.make(run.mailbox.session_dir, adapter.id);
  const request = { prompt, session, readOnly, uuid: randomUUID(), hasLabel: hasLabel(adapter, version) };
  const isFresh = session === null || session.resumeId === null;
  const name = sandbox.legName(run.id, number);
  const args = sandbox.legCommand({
    name,
    image,
    marks: [["run", run.id], ...marksOf(run.mailbox), ["epoch", String(run.epoch)]],
    worktree: run.worktree,
    readOnly,
    credentials: settings.get("AGENT_CREDENTIAL_MOUNTS"),
    state: state === null ? null : { source: state, target: adapter.sessionStatePath },
    environment: state === null ? {} : (adapter.environment?.(session, directories.entries(state)) ?? {}),
    argv: isFresh ? adapter.fresh(request) : adapter.resume(request),
  });
  return { name, args, state };
}
