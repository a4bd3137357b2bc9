/** The prompt of a run: the same for a fresh and for a resumed one (§13.3). */

const LONGEST_TITLE = 10_000;

const TASKS = {
  analysis: "Analyse the issue: say what is asked, what is unclear, and how you would do it. Change nothing.",
  development: "Implement what the issue asks for, with tests, in the working copy at /workspace.",
  ci_fix: "The pipeline of the merge request failed. Find the cause and mend it.",
  review_fix: "A reviewer asked for changes to the merge request. Make them.",
  conflict_resolution: "The merge request conflicts with its target branch. Resolve the conflict.",
  answer: "A question was asked on the issue. Answer it. Change nothing.",
  human_review: "Review the merge request that a person opened. Change nothing.",
};

export function promptFor(mailbox, phase) {
  const kind = mailbox.kind === "issue" ? "Issue" : "Merge request";
  const title = mailbox.title.slice(0, LONGEST_TITLE).replaceAll("\u0000", " ");
  return [
    TASKS[phase],
    `${kind} ${mailbox.iid} of ${mailbox.organization}/${mailbox.project}: ${title}`,
    "End with a short account of what you did.",
  ].join("\n\n");
}
