/** The directories that hold sessions: their names (§3.4), what stands in them, and their removal. */

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";

const LONGEST_PLAIN = 200;
const DIGITS = [8, 16, 32, 64];
const LOOKED_AT = 10_000;

export class SessionDirectories {
  constructor(base) {
    this.root = join(base, ".agent-sessions");
  }

  path(sessionDir, adapterId) {
    return join(this.root, sessionDir, adapterId);
  }

  /** `held` are the names of other mailboxes. What stands at a new name belongs to nobody, and goes. */
  choose({ organization, project, iid }, held, onFailure) {
    const taken = new Set(held.map((name) => name.toLowerCase()));
    for (const name of candidates(organization, project, iid)) {
      if (taken.has(name.toLowerCase())) continue;
      const error = this.remove(name);
      if (error === null) return name;
      onFailure(name, error);
    }
    throw new Error(`no name is left for the sessions of ${organization}/${project} issue ${iid}`);
  }

  /** A state directory holds something when a regular file stands in it at any depth, links not followed. */
  holdsSomething(sessionDir, adapterId) {
    if (sessionDir === null || !isRealDirectory(join(this.root, sessionDir))) return false;
    for (const entry of walk(this.path(sessionDir, adapterId))) if (entry.stat?.isFile()) return true;
    return false;
  }

  /** Whatever else stands in place of a directory is removed itself. No container runs that could put it back. */
  make(sessionDir, adapterId) {
    fs.mkdirSync(this.root, { recursive: true, mode: 0o700 });
    makeReal(join(this.root, sessionDir));
    makeReal(this.path(sessionDir, adapterId));
    return this.path(sessionDir, adapterId);
  }

  entries(stateDir) {
    try {
      return fs.readdirSync(stateDir, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFile: entry.isFile() }));
    } catch {
      return [];
    }
  }

  /** Size and time of every regular file, or null where there are too many to tell. */
  snapshot(stateDir) {
    const files = new Map();
    let entries = 0;
    for (const { path, stat } of walk(stateDir, Infinity)) {
      entries += 1;
      if (!stat?.isFile()) continue;
      files.set(path, `${stat.size} ${stat.mtimeNs}`);
      if (files.size > LOOKED_AT || entries > 20 * LOOKED_AT) return null;
    }
    return files;
  }

  names() {
    try {
      return fs.readdirSync(this.root);
    } catch {
      return [];
    }
  }

  remove(name) {
    return removeTree(join(this.root, name));
  }
}

export function hasChanged(before, after) {
  if (before === null || after === null) return true;
  return [...after].some(([path, mark]) => before.get(path) !== mark);
}

/** Removes links themselves. Gives the error as text, or null; what is not there is removed. */
export function removeTree(path) {
  try {
    removeEntry(path);
    return null;
  } catch (error) {
    return error.message;
  }
}

function removeEntry(path) {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) removeDirectory(path);
  else fs.unlinkSync(path);
}

/** Opens a directory that a container closed to its own user. Goes on past what cannot be removed, and then fails by it. */
function removeDirectory(path) {
  let failure = null;
  for (const name of opening(path, () => fs.readdirSync(path))) {
    try {
      opening(path, () => removeEntry(join(path, name)));
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  fs.rmdirSync(path);
}

function opening(directory, act) {
  try {
    return act();
  } catch (error) {
    if (error.code !== "EACCES") throw error;
    fs.chmodSync(directory, 0o700);
    return act();
  }
}

function* candidates(organization, project, iid) {
  const plain = `${organization}-${project}-issue-${iid}`;
  const isPlain = [organization, project].every((text) => /^[A-Za-z0-9._-]*$/.test(text));
  if (isPlain && !plain.startsWith(".") && plain.length <= LONGEST_PLAIN) yield plain;
  const cut = [...plain.replace(/^\./, "_").replace(/[^A-Za-z0-9._-]/gu, "_")].slice(0, LONGEST_PLAIN).join("");
  const digest = createHash("sha256").update(`${organization}\0${project}\0${iid}`).digest("hex");
  for (const digits of DIGITS) yield `${cut}~${digest.slice(0, digits)}`;
}

function isRealDirectory(path) {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function makeReal(path) {
  if (!isRealDirectory(path)) {
    fs.rmSync(path, { force: true });
    fs.mkdirSync(path, { mode: 0o700 });
  }
  fs.chmodSync(path, 0o700);
}

/** Every entry below a real directory, breadth first. What cannot be listed counts as empty. */
function* walk(root, most = LOOKED_AT) {
  const directories = isRealDirectory(root) ? [root] : [];
  let seen = 0;
  for (const directory of directories) {
    for (const name of list(directory)) {
      seen += 1;
      if (seen > most) return;
      const path = join(directory, name);
      const stat = statOf(path);
      if (stat?.isDirectory()) directories.push(path);
      yield { path, stat };
    }
  }
}

function list(directory) {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

function statOf(path) {
  try {
    return fs.lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}
