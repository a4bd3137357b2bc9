/** What follows from a run (§13.4): the branch, the merge request, comments, labels, counters, and the next try. */

import { COMMENTS, PUSHES } from "./states.js";

export class Publisher {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  async publish(run, outcome, answer) {
    if (outcome === "succeeded") await this.#succeed(run, answer);
    else if (outcome === "failed" || outcome === "timed_out") await this.#tryAgain(run);
  }

  async #succeed(run, answer) {
    const { mailbox, epoch, event } = run;
    const { mailboxes, forge } = this.#engine;
    mailboxes.write(mailbox, epoch, () => (mailbox.llm_retries = 0));
    if (COMMENTS.has(event.phase)) await forge.comment(mailbox, answer);
    if (PUSHES.has(event.phase)) await forge.push(mailbox, mailbox.branch_name);
    if (event.phase !== "development") return;
    if (mailbox.merge_request === null) {
      const number = await forge.openMergeRequest(mailbox, mailbox.branch_name, mailbox.title);
      mailboxes.write(mailbox, epoch, () => (mailbox.merge_request = number));
    }
    if (mailbox.state === "in_development") await mailboxes.moveTo(mailbox, "in_ci");
  }

  /** The first retry waits the back-off, each further one twice as long; then a human has to look. */
  async #tryAgain({ mailbox, epoch, event }) {
    const { mailboxes, settings, clock } = this.#engine;
    const retries = mailbox.llm_retries;
    if (retries >= settings.get("LLM_MAX_RETRIES")) {
      await mailboxes.block(mailbox, event.phase);
      return;
    }
    mailboxes.write(mailbox, epoch, () => (mailbox.llm_retries = retries + 1));
    const wait = settings.get("LLM_RETRY_BACKOFF_SECONDS") * 1000 * 2 ** retries;
    this.#engine.queue.add(mailbox, event.phase, clock.now + wait);
  }
}
