/** What a person or a test can see of the engine, as rows. */

import { address } from "./forge.js";
import { isOpen } from "./mailboxes.js";

export const VIEWS = {
  sessions: (engine) =>
    sessions(engine, (row) => ({
      adapter_id: row.adapter_id,
      phase: row.phase,
      provider: row.provider,
      model: row.model,
      session_name: row.session_name,
      native_session_id: row.native_session_id,
      resumed: row.resumed,
      resume_fallback: row.resume_fallback,
      outcome: row.outcome,
    })),

  mailboxes: (engine) =>
    engine.mailboxes.all.map((mailbox) => ({
      mailbox: address(mailbox),
      generation: mailbox.generation,
      state: mailbox.state,
      branch_name: mailbox.branch_name,
      open: isOpen(mailbox),
    })),

  installations: (engine) =>
    engine.store.tables.agent_installations.map((row) => ({
      adapter_id: row.adapter_id,
      image: row.image,
      version: row.version,
      resumable_sessions: row.resumable_sessions,
      session_state_path: row.session_state_path,
      reason: row.reason,
    })),

  /** Of the present generation. */
  counters: (engine) =>
    engine.mailboxes.all
      .filter((mailbox) => engine.mailboxes.latest(mailbox) === mailbox)
      .map((mailbox) => ({
        mailbox: address(mailbox),
        llm_retries: mailbox.llm_retries,
        fix_attempts: mailbox.fix_attempts,
      })),

  exchanges: (engine) => sessions(engine, ({ session, result }) => ({ session, result })),

  details: (engine) => sessions(engine, (row) => ({ lines: detail(row) })),

  incidents: (engine) => engine.store.tables.incidents.map(({ kind, subject, reason }) => ({ kind, subject, reason })),

  // A view holds plain values, and a list of mounts is none.
  settings: (engine) => engine.store.tables.settings.map((row) => ({ ...row, value: plain(row.value) })),
};

function sessions(engine, columns) {
  return engine.store.tables.llm_sessions.map((row) => {
    return { run: row.run, mailbox: address(engine.mailboxes.byId(row.mailbox_id)), ...columns(row) };
  });
}

/** The session detail (RECORD-2). */
function detail(row) {
  const lines = [
    ["run", row.run],
    ["outcome", row.outcome],
  ];
  if (row.session_name === null) return [...lines, ["session", "none"]];
  lines.push(["name", row.session_name], ["native id", row.native_session_id ?? "none"]);
  if (row.resumed) return [...lines, ["resumed", "yes"]];
  return [...lines, ["resumed", "no"], ["fresh start because", row.resume_fallback ?? "the resume was not confirmed"]];
}

function plain(value) {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
