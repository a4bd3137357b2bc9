"""The worker of `tck_spec.mermaid`: Mermaid in a JavaScript engine, which answers a question a line.

It is started by its path and imports nothing of this package, so that it is there soon. ``{"text": …}`` on standard
input is answered by ``{"type": …}`` or ``{"error": …}`` on standard output; it ends when there are no more questions,
or when the other side has gone.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Final

__all__: list[str] = []

_MEMORY_BYTES: Final = 512 * 1024 * 1024
_STACK_BYTES: Final = 64 * 1024 * 1024
#: What one diagram may take of the processor, so that a busy machine changes nothing.
_COMPUTING_SECONDS: Final = 10

#: The engine tries a pattern that begins with ``^`` at every place of a text, and Mermaid's lexers try dozens of them
#: at each of their steps. What can match only where the text begins is tried there and nowhere else.
_ANCHORING: Final = r"""
const anchored = (source) => {
  let depth = 0, listed = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (char === "\\") at += 1;
    else if (listed) listed = char !== "]";
    else if (char === "[") listed = true;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "|" && depth === 0) return false;
  }
  return source[0] === "^";
};
const native = RegExp.prototype.exec, twins = new WeakMap();
const twinOf = (pattern) => {
  let twin = twins.get(pattern);
  if (twin === undefined) {
    const {source, flags} = pattern;
    const elsewhere = ["g", "m", "y"].some((flag) => flags.includes(flag)) || !anchored(source);
    twin = elsewhere ? null : new RegExp(source, flags + "y");
    twins.set(pattern, twin);
  }
  return twin;
};
globalThis.__anchor = () => {
  for (const name of ["exec", Symbol.match]) {
    const before = RegExp.prototype[name];
    RegExp.prototype[name] = function (text) {
      const twin = twinOf(this);
      if (twin === null) return before.call(this, text);
      twin.lastIndex = 0;
      return native.call(twin, text);
    };
  }
};
"""

_GLUE: Final = """
__anchor();
globalThis.mermaid = (globalThis.__esbuild_esm_mermaid_nm.mermaid.default
  || globalThis.__esbuild_esm_mermaid_nm.mermaid);
mermaid.initialize({startOnLoad: false, logLevel: 5});
const place = (token) => token && {line: token.endLine ?? token.startLine, column: token.startColumn};
const facts = (error) => {
  const hash = error?.hash ?? {}, parsed = error?.result ?? {};
  const first = parsed.parserErrors?.[0], token = first?.token;
  return {
    name: String(error?.name ?? ""), message: String(error?.message ?? error),
    hash: {line: hash.line, text: hash.text, token: hash.token, expected: hash.expected},
    mark: error?.mark && {line: error.mark.line, column: error.mark.column},
    lexer: parsed.lexerErrors?.[0] && {...parsed.lexerErrors[0]},
    parser: first && {message: first.message,
      ...(Number.isFinite(token?.startLine) ? {line: token.startLine, column: token.startColumn}
        : place(first.previousToken))},
  };
};
globalThis.__ask = (text) => {
  globalThis.__answer = null;
  const done = (value) => { globalThis.__answer = JSON.stringify(value); };
  mermaid.parse(text).then((found) => done({type: found.diagramType}), (error) => done({error: facts(error)}));
};
"""


def _context() -> Any:  # noqa: ANN401 - the engine has no types
    """Load Mermaid into the engine; the assets are read as files, for mermaidx itself would load what draws."""
    quickjs = importlib.import_module("quickjs")
    spec = importlib.util.find_spec("mermaidx")
    folders = spec.submodule_search_locations if spec else None
    assets = Path((folders or [""])[0]) / "assets"
    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    context.set_max_stack_size(_STACK_BYTES // 4 * 3)
    context.eval(_ANCHORING)
    for name in ("dom_shim.js", "mermaid.js"):
        context.eval((assets / name).read_text(encoding="utf-8"))
    context.eval(_GLUE)
    return context


def _serve() -> None:
    """Answer questions on standard input, one JSON line each, until there are no more."""

    def say(answer: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()

    try:
        context = _context()
        ask = context.get("__ask")
        say({"ready": True})
    except Exception as error:  # noqa: BLE001 - whatever it is, the other side has to hear of it
        say({"unavailable": f"{type(error).__name__}: {error}"[:300]})
        return
    for line in sys.stdin:
        try:
            _allow(_COMPUTING_SECONDS)
            ask(json.loads(line)["text"])
            while not context.eval("!!globalThis.__answer") and context.execute_pending_job():
                pass
            answer = context.eval("globalThis.__answer")
            say(json.loads(answer) if answer else {"failed": "Mermaid gave no answer"})
        except Exception as error:  # noqa: BLE001 - the same
            say({"failed": f"Mermaid failed on it ({type(error).__name__}: {str(error)[:200]})"})


def _allow(seconds: int) -> None:
    """Have the system end this process once it has computed for so long from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until if most == resource.RLIM_INFINITY else min(until, most), most))


def _main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.stack_size(_STACK_BYTES)
    thread = threading.Thread(target=_serve)
    thread.start()
    thread.join()


if __name__ == "__main__":
    _main()
