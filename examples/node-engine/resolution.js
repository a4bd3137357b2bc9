/** What decides about sessions, without any input or output: §16.5.3 before the start, §16.5.4 after a leg. */

import { isOlder } from "./versions.js";

const FINISHED = new Set(["succeeded", "failed", "timed_out"]);
const LOST = new Set(["failed", "timed_out"]);
const FAILURES_TO_GIVE_UP = 3;

const without = () => ({ applies: false, resumeId: null, reason: null });
const fresh = (reason) => ({ applies: true, resumeId: null, reason });
const resume = (resumeId) => ({ applies: true, resumeId, reason: null });

/** The rows of §16.5.3 in their order; the first that fits decides. */
const ROWS = [
  [(c) => !c.enabled, without],
  [(c) => !c.declares, without],
  [(c) => c.kind !== "issue", without],
  [(c) => c.sessions === 0, () => fresh("no_prior_session")],
  [(c) => c.prior === null, () => fresh("adapter_changed")],
  [(c) => c.versionIsBad, () => fresh("unsupported_version")],
  [(c) => !c.holdsSomething, () => fresh("state_missing")],
  [(c) => c.givenUp, () => fresh("refused")],
  [() => true, (c) => resume(c.prior.native_session_id)],
];

/**
 * `rows` are the rows of the mailbox, oldest first; `installed` is {resumable, version} of the image in use;
 * `isId(adapter_id, text)` says whether a stored text is a native id of that adapter.
 */
export function resolve({ enabled, declares, kind, adapter, rows, installed, holdsSomething, isId }) {
  const sessions = rows.filter((row) => row.native_session_id !== null && isId(row.adapter_id, row.native_session_id));
  const prior = sessions.filter((row) => row.adapter_id === adapter).at(-1) ?? null;
  const facts = {
    enabled,
    declares,
    kind,
    sessions: sessions.length,
    prior,
    holdsSomething,
    versionIsBad: prior !== null && isBadFor(installed, prior.cli_version),
    givenUp: prior !== null && failedOnItsId(rows, adapter, prior.native_session_id, isId),
  };
  const [, decide] = ROWS.find(([fits]) => fits(facts));
  return decide(facts);
}

function isBadFor(installed, recorded) {
  if (!installed.resumable) return true;
  return recorded !== null && installed.version !== null && isOlder(installed.version, recorded);
}

/** FALLBACK-20: the three latest finished runs of this adapter asked for this very id, and were lost. */
function failedOnItsId(rows, adapter, id, isId) {
  let prior = null;
  const finished = [];
  for (const row of rows) {
    if (row.adapter_id !== adapter) continue;
    const asked = row.session_name !== null && row.resume_fallback === null ? prior : null;
    if (row.session_name !== null && FINISHED.has(row.outcome)) finished.push({ asked, outcome: row.outcome });
    if (row.native_session_id !== null && isId(adapter, row.native_session_id)) prior = row.native_session_id;
  }
  const latest = finished.slice(-FAILURES_TO_GIVE_UP);
  return latest.length === FAILURES_TO_GIVE_UP && latest.every((run) => run.asked === id && LOST.has(run.outcome));
}

/** The rows of §16.5.4 in their order; `record` is null where a fresh leg follows. */
const PROOFS = [
  [(l) => l.refused && !l.modelTurn && !l.reported.includes(l.asked), () => null],
  [(l) => same(l.reported, l.asked), (l) => proof(true, l.asked, null)],
  [(l) => l.rotatesIds && onlyAnother(l) && l.modelTurn, (l) => proof(true, l.reported[0], null)],
  [(l) => onlyAnother(l) && l.end === "succeeded", (l) => proof(false, l.reported[0], "refused")],
  [(l) => l.end === "succeeded", () => proof(false, null, "refused")],
  [() => true, () => proof(false, null, null)],
];

const same = (reported, asked) => reported.length === 1 && reported[0] === asked;
const onlyAnother = (leg) => leg.reported.length === 1 && leg.reported[0] !== leg.asked;
const proof = (resumed, nativeId, reason) => ({ resumed, nativeId, reason });

/** Null for a refusal, else what the leg that asked for an id proved. */
export function prove(leg) {
  const [, record] = PROOFS.find(([fits]) => fits(leg));
  return record(leg);
}

export function proveFresh(reported, reason) {
  return proof(false, reported.length === 1 ? reported[0] : null, reason);
}
