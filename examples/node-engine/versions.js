/** Versions of the CLIs: how one is found in what a command printed, and which of two is older (§16.6). */

const VERSION = /[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?/;
const LOOKED_AT = 64 * 1024;

export function findVersion(stdout) {
  const found = VERSION.exec(stdout.subarray(0, LOOKED_AT).toString("utf8"));
  return found === null ? null : found[0].replace(/\.+$/, "");
}

export function isOlder(one, other) {
  return compare(parse(one), parse(other)) < 0;
}

function parse(version) {
  const dash = version.indexOf("-");
  const numbers = dash < 0 ? version : version.slice(0, dash);
  return {
    numbers: numbers.split(".").map(BigInt),
    before: dash < 0 ? null : version.slice(dash + 1).split("."),
  };
}

function compare(one, other) {
  for (let place = 0; place < 3; place += 1) {
    if (one.numbers[place] !== other.numbers[place]) return one.numbers[place] < other.numbers[place] ? -1 : 1;
  }
  if (one.before === null || other.before === null) return Number(one.before === null) - Number(other.before === null);
  for (let place = 0; place < Math.min(one.before.length, other.before.length); place += 1) {
    const order = compareIdentifiers(one.before[place], other.before[place]);
    if (order !== 0) return order;
  }
  return one.before.length - other.before.length;
}

/** A number is older than a word; numbers go by size, words by their characters. */
function compareIdentifiers(one, other) {
  const numeric = [one, other].map((text) => /^[0-9]+$/.test(text));
  if (numeric[0] && numeric[1]) return BigInt(one) < BigInt(other) ? -1 : Number(BigInt(one) > BigInt(other));
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}
