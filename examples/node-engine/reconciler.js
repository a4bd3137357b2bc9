/** The sweeps of §21.2, the reclaiming of leases (§11.7) and the clean-up of a mailbox (§21.3). */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isOpen, marksOf } from "./mailboxes.js";
import { removeTree } from "./session-directories.js";

const DAY = 24 * 60 * 60 * 1000;

export class Reconciler {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  async sweep() {
    await this.#leases();
    await this.#issues();
    await this.#containers();
    this.#worktrees();
    this.#failedRemovals();
    this.#sessionDirectories();
    this.#retention();
  }

  /** A dead worker's run is abandoned, and its event is run again under the new lease. */
  reclaim(mailbox) {
    const { queue, mailboxes } = this.#engine;
    const event = queue.taken(mailbox);
    if (event !== null) queue.again(event);
    const before = () => this.#abandon(mailbox);
    if (event !== null && isOpen(mailbox) && mailbox.state !== "blocked") return queue.start(mailbox, event, before);
    const epoch = mailboxes.takeLease(mailbox);
    return this.#engine.activity.during("reclaim", before).then(() => mailboxes.releaseLease(mailbox, epoch));
  }

  /** Ends a mailbox for good, whatever runs in it. */
  async end(mailbox, state) {
    if (!isOpen(mailbox)) return;
    const { mailboxes, queue } = this.#engine;
    await mailboxes.moveTo(mailbox, state);
    const run = queue.running(mailbox);
    if (run !== null) {
      await run.stop("cancelled");
      await run.ended;
    }
    queue.drop(mailbox);
    await this.#cleanUp(mailbox);
  }

  async #cleanUp(mailbox) {
    const rows = this.#rows(mailbox);
    if (rows.length > 0) await this.#removeContainers(mailbox);
    rows.forEach((row) => this.#remove("worktree_removal", this.#engine.worktreePath(mailbox, row.run)));
    this.#removeSessions(mailbox);
  }

  async #abandon(mailbox) {
    await this.#removeContainers(mailbox);
    for (const row of this.#rows(mailbox).filter((other) => other.outcome === "live")) {
      this.#engine.store.write(() => (row.outcome = isOpen(mailbox) ? "abandoned" : "cancelled"));
      this.#remove("worktree_removal", this.#engine.worktreePath(mailbox, row.run));
    }
  }

  async #leases() {
    const { mailboxes, queue, clock } = this.#engine;
    for (const mailbox of mailboxes.all) {
      if (mailbox.lease_owner === null || queue.running(mailbox) !== null) continue;
      if (Date.parse(mailbox.lease_expires_at) <= clock.now) this.reclaim(mailbox);
    }
  }

  async #issues() {
    const { mailboxes, forge } = this.#engine;
    for (const mailbox of mailboxes.open) {
      const issue = await forge.look(mailbox);
      if (issue === "gone") await this.end(mailbox, "orphaned");
      else if (issue?.open === false && issue.merged === true) await this.end(mailbox, "done");
      else if (issue?.open === false || issue?.assigned === false) await this.end(mailbox, "cancelled");
    }
  }

  async #containers() {
    const { sandbox } = this.#engine;
    const names = await sandbox.named([]);
    const live = this.#live();
    const orphaned = names.filter((name) => sandbox.runOf(name) !== null && !live.has(sandbox.runOf(name)));
    await this.#note("container_removal", orphaned.join(" "), sandbox.remove(orphaned));
  }

  #worktrees() {
    const { mailboxes, worktrees, store } = this.#engine;
    const rows = store.tables.llm_sessions.filter((row) => row.outcome === "live");
    const kept = new Set(rows.map((row) => this.#engine.worktreePath(mailboxes.byId(row.mailbox_id), row.run)));
    for (const path of list(worktrees)) if (!kept.has(path)) this.#remove("worktree_removal", path);
  }

  #failedRemovals() {
    for (const mailbox of this.#engine.mailboxes.all) if (!isOpen(mailbox) && !this.#isLive(mailbox)) this.#removeSessions(mailbox);
  }

  #sessionDirectories() {
    const { mailboxes, directories } = this.#engine;
    const held = new Set(mailboxes.all.map((mailbox) => mailbox.session_dir));
    for (const name of directories.names().filter((other) => !held.has(other))) {
      this.#remove("session_removal", join(directories.root, name), name);
    }
  }

  #retention() {
    const { clock, settings, store } = this.#engine;
    const oldest = clock.now - settings.get("RETENTION_DAYS") * DAY;
    const isOld = (row) => row.outcome !== "live" && Date.parse(row.created_at) < oldest;
    if (!store.tables.llm_sessions.some(isOld)) return;
    store.write((tables) => (tables.llm_sessions = tables.llm_sessions.filter((row) => !isOld(row))));
  }

  #removeSessions(mailbox) {
    if (mailbox.session_dir === null) return;
    const { directories, store } = this.#engine;
    const removed = this.#remove("session_removal", join(directories.root, mailbox.session_dir), mailbox.session_dir);
    if (removed) store.write(() => (mailbox.session_dir = null));
  }

  #remove(kind, path, subject = path) {
    const error = removeTree(path);
    if (error !== null) this.#engine.incident(kind, subject, error);
    return error === null;
  }

  async #removeContainers(mailbox) {
    const { sandbox } = this.#engine;
    const names = await sandbox.named(marksOf(mailbox));
    await this.#note("container_removal", names.join(" "), sandbox.remove(names));
  }

  async #note(kind, subject, removal) {
    const error = await removal;
    if (error !== null) this.#engine.incident(kind, subject, error);
  }

  #live() {
    return new Set(this.#engine.store.tables.llm_sessions.filter((row) => row.outcome === "live").map((row) => row.run));
  }

  #isLive(mailbox) {
    return this.#rows(mailbox).some((row) => row.outcome === "live");
  }

  #rows(mailbox) {
    return this.#engine.store.tables.llm_sessions.filter((row) => row.mailbox_id === mailbox.id);
  }
}

function list(directory) {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return [];
  }
}
