// The page as `jive play` serves it: Java can be edited, and the server compiles it with the user's javac.

import type { Editor, Mark } from "./editor";

/** What the server says about a source; docs/web.md describes it. */
type Answer =
  | { outcome: "compiled"; name: string; class: string; messages: Message[] }
  | { outcome: "refused"; messages: Message[]; output: string }
  | { outcome: "failed"; reason: string };

interface Message {
  kind: "error" | "warning";
  line: number;
  text: string;
}

/** What becomes of compiled classes and of sources that are refused. */
export interface Takes {
  /** Judges a class, as base64, and returns what is wrong with it by lines. */
  compiled(name: string, bytes: string): Promise<Mark[]>;
  refused(output: string): void;
}

/** The path where `jive play` serves the page is a token. */
const PATH = /^\/[\w-]{32}\/$/;

/** The longest time that an answer may take, in milliseconds: javac has its own limit, which a user may raise. */
const PATIENCE = 600_000;

/** Makes Java editable if `jive play` serves the page. `place` is where the editor stands. */
export async function play(java: Editor, place: HTMLElement, takes: Takes): Promise<void> {
  if (!PATH.test(location.pathname) || !(await isServed())) return;
  const button = document.createElement("button");
  button.type = "button";
  button.id = "compile";
  button.textContent = "Compile";
  const state = document.createElement("span");
  state.id = "compiled";
  state.setAttribute("role", "status");
  const bar = document.createElement("p");
  bar.className = "tools";
  bar.append(button, state);
  place.prepend(bar);
  java.allowEdits(() => {
    state.textContent = "Not compiled yet.";
  });
  let isCompiling = false;
  const compile = async () => {
    // The button is not disabled, because it would lose the focus.
    if (isCompiling) return;
    isCompiling = true;
    state.textContent = "Compiling.";
    const said = await compiled(java, takes).catch((error: unknown) => `Not compiled: ${reason(error)}`);
    // Without a sentence the source has changed meanwhile.
    state.textContent = said ?? "Not compiled yet.";
    isCompiling = false;
  };
  button.addEventListener("click", () => void compile());
  // Another applet comes with its own class.
  document.getElementById("applets")?.addEventListener("change", () => {
    state.textContent = "";
  });
  // Before the editor, for which the keys mean an empty line.
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void compile();
  }, { capture: true });
}

async function isServed(): Promise<boolean> {
  const response = await fetch("play.json").catch(() => null);
  return response?.ok ?? false;
}

/** Has the source compiled, and returns what to say of it; nothing if the source has changed meanwhile. */
async function compiled(java: Editor, takes: Takes): Promise<string | null> {
  const source = java.text();
  const answer = await ask(source);
  if (java.text() !== source) return null;
  switch (answer.outcome) {
    case "compiled": {
      const marks = [...marksOf(answer.messages), ...(await takes.compiled(answer.name, answer.class))];
      if (java.text() === source) java.mark(marks);
      return `Compiled: the next run uses this ${answer.name}.`;
    }
    case "refused": {
      const errors = answer.messages.filter(({ kind }) => kind === "error").length;
      java.mark(marksOf(answer.messages));
      takes.refused(answer.output);
      return errors === 1 ? "1 error" : `${errors} errors`;
    }
    case "failed":
      java.mark([]);
      takes.refused(answer.reason);
      return "Not compiled.";
  }
}

async function ask(source: string): Promise<Answer> {
  const response = await fetch("compile", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ source }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (!response.ok) throw new Error((await response.text()).trim());
  return (await response.json()) as Answer;
}

function marksOf(messages: Message[]): Mark[] {
  return messages.map(({ kind, line, text }) => ({ line, message: `${kind}: ${text}` }));
}

function reason(error: unknown): string {
  if (error instanceof TypeError) return "`jive play` does not answer any more.";
  return error instanceof Error ? error.message : String(error);
}
