/** Grok Build. Nothing of it has been measured, so it declares no sessions and its output is read as plain text. */

export default {
  id: "grok-build",
  cli: "grok",
  resumableSessions: false,
  sessionStatePath: null,
  rotatesIds: false,
  idPattern: /^[0-9A-Za-z][0-9A-Za-z_-]{7,63}$/,
  verifiedFrom: null,
  labelFrom: null,
  plainText: true,
  refusal: { texts: [], never: [] },

  fresh({ prompt }) {
    return ["grok", `--prompt=${prompt}`];
  },

  read() {
    return {};
  },
};
