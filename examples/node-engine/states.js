/** The states of an issue and the phases that run in them (§7.2). */

export const FIRST_STATE = "functional_analysis";
export const MERGE_REQUEST_STATE = "in_review";
export const ENDED = new Set(["done", "cancelled", "orphaned"]);
export const UNLABELLED = new Set(["cancelled", "orphaned"]);

export const ENDS = { merged: "done", unassigned: "cancelled", unmerged: "cancelled" };

/** Where a phase runs. A run that is due elsewhere takes the issue to the first of these. */
export const STATES_OF = {
  analysis: ["functional_analysis", "technical_analysis"],
  development: ["in_development"],
  ci_fix: ["in_ci"],
  review_fix: ["in_review"],
  conflict_resolution: ["in_review"],
  answer: ["waiting_info", "waiting_validation", "in_review"],
};

export const PHASES = { issue: Object.keys(STATES_OF), merge_request: ["human_review"] };
export const READ_ONLY = new Set(["analysis", "answer", "human_review"]);
export const FIXES = new Set(["ci_fix", "review_fix", "conflict_resolution"]);
export const PUSHES = new Set(["development", ...FIXES]);
export const COMMENTS = new Set(["analysis", "answer", "human_review"]);
export const PHASE_OF_EVENT = { ci_failed: "ci_fix", review: "review_fix", conflict: "conflict_resolution" };
