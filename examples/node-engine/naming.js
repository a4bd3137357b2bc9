/** The name of an issue's branch, and so of its session (§7.3), and what a branch prefix may be (§23.3). */

const KEPT_OF_SLUG = 40;
const LONGEST_PREFIX = 40;

export function slug(title) {
  return title
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, KEPT_OF_SLUG)
    .replace(/^-+|-+$/g, "");
}

export function branchName(prefix, iid, title) {
  const end = slug(title);
  return `${prefix}issue-${iid}${end === "" ? "" : `-${end}`}`;
}

/** Whether `git check-ref-format --branch` takes this text as it is. */
export function isBranchName(text) {
  if (text === "" || text === "@" || text === "HEAD" || text.startsWith("-") || text.endsWith(".")) return false;
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(text) || text.includes("..") || text.includes("@{")) return false;
  return text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

export function isPrefix(text) {
  return Buffer.byteLength(text) <= LONGEST_PREFIX && isBranchName(`${text}issue-1`);
}
