/** The mailboxes: which one an event belongs to, their states and labels, and who may write to them (§7, §11). */

import { instant } from "./clock.js";
import { ENDED, FIRST_STATE, MERGE_REQUEST_STATE, STATES_OF, UNLABELLED } from "./states.js";

/** Thrown where a worker writes whose lease was reclaimed; its writes are discarded (RESUME-14). */
export class LeaseLost extends Error {}

const ADDRESS = ["organization", "project", "kind", "iid"];

export class Mailboxes {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  get all() {
    return this.#engine.store.tables.mailboxes;
  }

  get open() {
    return this.all.filter(isOpen);
  }

  byId(id) {
    return this.all.find((mailbox) => mailbox.id === id);
  }

  /** The latest generation. */
  latest(address) {
    const same = this.all.filter((mailbox) => ADDRESS.every((part) => mailbox[part] === address[part]));
    return same.reduce((newest, mailbox) => (newest === null || mailbox.generation > newest.generation ? mailbox : newest), null);
  }

  openAt(address) {
    const mailbox = this.latest(address);
    return mailbox !== null && isOpen(mailbox) ? mailbox : null;
  }

  /** That of the issue for which the agent opened it, or its own where a person did (§11.1). */
  ofMergeRequest({ organization, project, merge_request: number }) {
    const isIts = (mailbox) => (mailbox.kind === "issue" ? mailbox.merge_request : mailbox.iid) === number;
    return this.open.find((box) => box.organization === organization && box.project === project && isIts(box)) ?? null;
  }

  async create(address, title) {
    const generation = (this.latest(address)?.generation ?? 0) + 1;
    const mailbox = this.#engine.store.insert("mailboxes", {
      ...Object.fromEntries(ADDRESS.map((part) => [part, address[part]])),
      generation,
      title,
      state: address.kind === "issue" ? FIRST_STATE : MERGE_REQUEST_STATE,
      blocked_from: null,
      blocked_phase: null,
      branch_name: null,
      session_dir: null,
      merge_request: null,
      llm_retries: 0,
      fix_attempts: 0,
      lease_owner: null,
      lease_epoch: 0,
      lease_taken_at: null,
      lease_expires_at: null,
    });
    await this.#label(mailbox, null);
    return mailbox;
  }

  retitle(address, title) {
    const mailbox = this.latest(address);
    if (mailbox !== null) this.#engine.store.write(() => (mailbox.title = title));
  }

  async moveTo(mailbox, state) {
    const before = mailbox.state;
    if (before === state) return;
    this.#engine.store.write(() => (mailbox.state = state));
    await this.#label(mailbox, before);
  }

  /** A run that is due takes its issue to a state in which its phase runs. */
  async moveFor(mailbox, phase) {
    const states = STATES_OF[phase];
    if (states !== undefined && !states.includes(mailbox.state)) await this.moveTo(mailbox, states[0]);
  }

  async block(mailbox, phase) {
    if (mailbox.state === "blocked") return;
    this.#engine.store.write(() => Object.assign(mailbox, { blocked_from: mailbox.state, blocked_phase: phase }));
    await this.moveTo(mailbox, "blocked");
  }

  async unblock(mailbox) {
    const { blocked_from: state, blocked_phase: phase } = mailbox;
    this.#engine.store.write(() => Object.assign(mailbox, { blocked_from: null, blocked_phase: null, llm_retries: 0 }));
    await this.moveTo(mailbox, state);
    return phase;
  }

  takeLease(mailbox) {
    const { store, clock, worker } = this.#engine;
    return store.write(() => {
      mailbox.lease_owner = worker;
      mailbox.lease_epoch += 1;
      mailbox.lease_taken_at = clock.now;
      mailbox.lease_expires_at = instant(clock.now + this.#leaseTime);
      return mailbox.lease_epoch;
    });
  }

  releaseLease(mailbox, epoch) {
    this.write(mailbox, epoch, () => Object.assign(mailbox, { lease_owner: null, lease_taken_at: null, lease_expires_at: null }));
  }

  /** Renewed every third of its time: reckoned from when it was taken, so that no clock has to tick for it. */
  renew(mailbox) {
    const third = this.#leaseTime / 3;
    const renewed = mailbox.lease_taken_at + Math.floor((this.#engine.clock.now - mailbox.lease_taken_at) / third) * third;
    this.#engine.store.write(() => (mailbox.lease_expires_at = instant(renewed + this.#leaseTime)));
  }

  /** The only way for a run to write: with the epoch under which it was started. */
  write(mailbox, epoch, change) {
    if (mailbox.lease_epoch !== epoch) throw new LeaseLost(`lease ${epoch} of mailbox ${mailbox.id} was reclaimed`);
    return this.#engine.store.write(change);
  }

  get #leaseTime() {
    return this.#engine.settings.get("LEASE_SECONDS") * 1000;
  }

  async #label(mailbox, before) {
    if (mailbox.kind !== "issue" || mailbox.state === "orphaned") return;
    const { forge } = this.#engine;
    if (before !== null && !UNLABELLED.has(before)) await forge.unlabel(mailbox, `status::${before}`);
    if (!UNLABELLED.has(mailbox.state)) await forge.label(mailbox, `status::${mailbox.state}`);
  }
}

export function isOpen(mailbox) {
  return !ENDED.has(mailbox.state);
}

/** The labels by which the containers of a mailbox are found. */
export function marksOf(mailbox) {
  const { organization, project, kind, iid, generation } = mailbox;
  return [
    ["organization", organization],
    ["project", project],
    ["kind", kind],
    ["iid", String(iid)],
    ["generation", String(generation)],
  ];
}
