/** The parts that need no engine: naming, versions, resolution, proof, and what counts as a refusal. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Output } from "./adapters/output.js";
import { LOCAL, isId } from "./adapters/table.js";
import { branchName, isPrefix } from "./naming.js";
import { prove, resolve } from "./resolution.js";
import { findVersion, isOlder } from "./versions.js";

const A = "11111111-1111-4111-8111-111111111111";
const B = "22222222-2222-4222-8222-222222222222";

test("names are those of the specification's table", () => {
  assert.equal(branchName("agent/", 1, "Add a name on client and resume from it"), "agent/issue-1-add-a-name-on-client-and-resume-from-it");
  assert.equal(branchName("agent/", 7, "Add a name on AI client and resume from it"), "agent/issue-7-add-a-name-on-ai-client-and-resume-from");
  assert.equal(branchName("agent/", 12, "Créer l'été « à vélo »"), "agent/issue-12-creer-l-ete-a-velo");
  assert.equal(branchName("agent/", 13, "🚀🚀"), "agent/issue-13");
  assert.equal(branchName("bot-", 14, "--help @{0} x.lock"), "bot-issue-14-help-0-x-lock");
});

test("a prefix has to begin a branch name", () => {
  for (const prefix of ["", "agent/", "bot-", "é/"]) assert.ok(isPrefix(prefix), prefix);
  for (const prefix of ["-x", "/", "a//", "a..b", "x.lock/", ".", "a b", "@{", "x".repeat(41)]) assert.ok(!isPrefix(prefix), prefix);
});

test("versions are found and ordered", () => {
  assert.equal(findVersion(Buffer.from("GitHub Copilot CLI 1.0.102.\nRun")), "1.0.102");
  assert.equal(findVersion(Buffer.from("codex-cli 0.122.0-alpha.1")), "0.122.0-alpha.1");
  assert.equal(findVersion(Buffer.from("log in first")), null);
  assert.ok(isOlder("0.122.0-alpha.1", "0.122.0"));
  assert.ok(isOlder("1.0.9", "1.0.10"));
  assert.ok(isOlder("1.0.0-2", "1.0.0-10"));
  assert.ok(!isOlder("1.0.0", "1.0.0"));
});

const row = (id, adapter, change = {}) => ({
  adapter_id: adapter,
  native_session_id: id,
  cli_version: "1.0.0",
  session_name: "agent/issue-1",
  resume_fallback: null,
  outcome: "succeeded",
  ...change,
});

const decide = (change) =>
  resolve({
    enabled: true,
    declares: true,
    kind: "issue",
    adapter: "codex",
    rows: [],
    installed: { resumable: true, version: "1.0.0" },
    holdsSomething: true,
    isId,
    ...change,
  });

test("the reasons come in their order", () => {
  assert.equal(decide({ enabled: false }).applies, false);
  assert.equal(decide({ kind: "merge_request" }).applies, false);
  assert.equal(decide({}).reason, "no_prior_session");
  assert.equal(decide({ rows: [row("--help", "codex")] }).reason, "no_prior_session");
  assert.equal(decide({ rows: [row(A, "claude-code")], holdsSomething: false }).reason, "adapter_changed");
  const rows = [row(A, "codex"), row(B, "codex"), row(null, "codex"), row(A, "copilot")];
  assert.equal(decide({ rows, installed: { resumable: false, version: null }, holdsSomething: false }).reason, "unsupported_version");
  assert.equal(decide({ rows, installed: { resumable: true, version: "0.9.0" } }).reason, "unsupported_version");
  assert.equal(decide({ rows, holdsSomething: false }).reason, "state_missing");
  assert.deepEqual(decide({ rows }), { applies: true, resumeId: B, reason: null });
});

test("three failures on one id end it, and only three", () => {
  const lost = [row(A, "codex"), ...["failed", "timed_out", "failed"].map((outcome) => row(A, "codex", { outcome }))];
  assert.equal(decide({ rows: lost }).reason, "refused");
  assert.equal(decide({ rows: lost.slice(0, 3) }).resumeId, A);
  assert.equal(decide({ rows: lost.toSpliced(2, 0, row(A, "codex", { outcome: "abandoned" })) }).reason, "refused");
  assert.equal(decide({ rows: [...lost, row(B, "codex", { resume_fallback: "refused" })] }).resumeId, B);
});

test("only what the CLI confirmed is a resume", () => {
  const leg = { asked: A, reported: [A], modelTurn: true, refused: false, end: "succeeded", rotatesIds: false };
  assert.deepEqual(prove(leg), { resumed: true, nativeId: A, reason: null });
  assert.deepEqual(prove({ ...leg, reported: [B] }), { resumed: false, nativeId: B, reason: "refused" });
  assert.deepEqual(prove({ ...leg, reported: [B], rotatesIds: true }), { resumed: true, nativeId: B, reason: null });
  assert.deepEqual(prove({ ...leg, reported: [A, B] }), { resumed: false, nativeId: null, reason: "refused" });
  assert.deepEqual(prove({ ...leg, reported: [B], end: "failed" }), { resumed: false, nativeId: null, reason: null });
  assert.equal(prove({ ...leg, reported: [B], modelTurn: false, refused: true, end: "failed" }), null);
  assert.deepEqual(prove({ ...leg, refused: true, end: "failed" }), { resumed: true, nativeId: A, reason: null });
});

function read(adapter, events, errors, code) {
  const output = new Output(LOCAL.get(adapter), () => {});
  output.stdout(Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join("")));
  output.stderr(Buffer.from(errors));
  output.end();
  return { refused: output.refused(code), reported: output.reported };
}

test("a refusal is told from a failure", () => {
  const unknown = { type: "result", subtype: "error_during_execution", session_id: B, errors: ["No conversation found with session ID: x"] };
  assert.deepEqual(read("claude-code", [unknown], "", 1), { refused: true, reported: [] });
  const failed = { type: "result", subtype: "success", is_error: true, session_id: A, result: "No conversation found with session ID" };
  assert.deepEqual(read("claude-code", [failed], "", 1), { refused: false, reported: [A] });
  assert.ok(read("codex", [], "thread/resume failed: no rollout found (code -32600)", 1).refused);
  assert.ok(!read("codex", [], "thread/resume failed: no rollout found (code -32600)", 2).refused);
  assert.ok(!read("codex", [], "thread/resume failed: already has an active writer", 1).refused);
  assert.ok(read("opencode", [], "\u001b[91mError:\u001b[0m Session \u001b[1mnot found", 1).refused);
  assert.ok(read("opencode", [], "", 0).refused);
  assert.ok(!read("opencode", [{ type: "error", sessionID: "x" }], "Session not found", 1).refused);
  assert.ok(!read("copilot", [], "", 1).refused);
});
