/** What can happen to an engine, and what each leads to: a run, a text that refuses it, or nothing. */

import { LOCAL } from "./adapters/table.js";
import { isOpen } from "./mailboxes.js";
import { ENDS, PHASES, PHASE_OF_EVENT } from "./states.js";

const NOTHING = {};
const refusal = (error) => ({ error });

export const STIMULI = {
  "issue.opened": async (engine, { mailbox, title }) => open(engine, mailbox, title),
  "merge_request.review_requested": async (engine, { mailbox, title }) => open(engine, mailbox, title),

  async "issue.retitled"(engine, { mailbox, title }) {
    engine.mailboxes.retitle(mailbox, title);
    return NOTHING;
  },

  async "issue.closed"(engine, { mailbox, how }) {
    if (ENDS[how] === undefined) return refusal(`an issue is not closed as ${how}`);
    const box = engine.mailboxes.openAt(mailbox);
    if (box !== null) await engine.reconciler.end(box, ENDS[how]);
    return NOTHING;
  },

  async "issue.reopened"(engine, { mailbox }) {
    const last = engine.mailboxes.latest(mailbox);
    if (last === null) return refusal("an issue that was never assigned cannot be reopened");
    if (!isOpen(last)) await engine.mailboxes.create(mailbox, last.title);
    return NOTHING;
  },

  /** CLEAN-10: only the forge's own 404 says that an issue is gone. */
  async "issue.deleted"(engine, { mailbox }) {
    const box = engine.mailboxes.openAt(mailbox);
    if (box !== null && (await engine.forge.look(box)) === "gone") await engine.reconciler.end(box, "orphaned");
    return NOTHING;
  },

  async "issue.blocked"(engine, { mailbox }) {
    const box = engine.mailboxes.openAt(mailbox);
    if (box !== null) await engine.mailboxes.block(box, lastPhase(engine, box));
    return NOTHING;
  },

  async "issue.retry"(engine, { mailbox }) {
    const box = engine.mailboxes.openAt(mailbox);
    if (box?.state !== "blocked") return NOTHING;
    const phase = await engine.mailboxes.unblock(box);
    if (phase !== null) return begin(engine, box, phase);
    engine.queue.pump();
    return NOTHING;
  },

  async "merge_request.event"(engine, { event, ...where }) {
    const phase = PHASE_OF_EVENT[event];
    if (phase === undefined) return refusal(`a merge request has no event ${event}`);
    const box = engine.mailboxes.ofMergeRequest(where);
    return box === null ? NOTHING : begin(engine, box, box.kind === "issue" ? phase : "human_review");
  },

  async "run.due"(engine, { mailbox, phase }) {
    const box = engine.mailboxes.openAt(mailbox);
    if (box === null) return NOTHING;
    if (!PHASES[box.kind].includes(phase)) return refusal(`phase ${phase} does not run for ${box.kind}`);
    return begin(engine, box, phase);
  },

  async "setting.changed"(engine, setting) {
    return refusal(engine.settings.set(setting));
  },

  async "prefix.changed"(engine, { organization, project, prefix }) {
    const scope = project ? "project" : "organization";
    return refusal(engine.settings.set({ scope, organization, project, name: "BRANCH_PREFIX", value: prefix }));
  },

  async "binding.changed"(engine, change) {
    return refusal(engine.configuration.bind(change));
  },

  async "installation.changed"(engine, { adapter, image }) {
    if (!LOCAL.has(adapter)) return refusal(`there is no adapter ${adapter} with an image`);
    engine.configuration.install({ adapter, image });
    return NOTHING;
  },

  async "lease.expired"(engine, { mailbox }) {
    const box = engine.mailboxes.openAt(mailbox);
    const run = box === null ? null : await engine.loseLease(box);
    return run ? { run } : NOTHING;
  },

  async "worker.woken"(engine, { mailbox }) {
    const box = engine.mailboxes.latest(mailbox);
    if (box !== null) await engine.wakeWorkers(box);
    return NOTHING;
  },

  async "reconcile.due"(engine) {
    await engine.reconcile();
    return NOTHING;
  },
};

async function open(engine, mailbox, title) {
  if (engine.mailboxes.openAt(mailbox) === null) await engine.mailboxes.create(mailbox, title);
  return NOTHING;
}

function begin(engine, mailbox, phase) {
  const event = engine.queue.add(mailbox, phase);
  const run = engine.queue.running(mailbox);
  return { run: run?.event === event ? run : event.run };
}

function lastPhase(engine, mailbox) {
  const running = engine.queue.running(mailbox);
  const rows = engine.store.tables.llm_sessions.filter((row) => row.mailbox_id === mailbox.id);
  return running?.event.phase ?? rows.at(-1)?.phase ?? null;
}
