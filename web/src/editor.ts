// The editors: Java that is read, assembly and scenarios that are edited.

import { autocompletion, completionKeymap, type CompletionSource } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { java } from "@codemirror/lang-java";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, keymap, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The nonce of the page's policy, with which the editors may add their styles. */
const NONCE = "jive";

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.string, tags.number, tags.bool, tags.literal], color: "light-dark(#8a4b08, #f0b878)" },
  { tag: [tags.typeName, tags.className], color: "light-dark(#5b3a9b, #c3a6f5)" },
]);

const THEME = EditorView.theme({
  "&": { maxHeight: "60vh" },
  ".cm-scroller": { overflow: "auto", fontFamily: "ui-monospace, monospace" },
  ".cm-gutters": { background: "transparent", color: "var(--quiet)", border: "0" },
  ".cm-tooltip": { background: "var(--sheet)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
});

/** The words of assembly: directives begin with a dot, comments with a semicolon. */
const assembly = StreamLanguage.define<unknown>({
  token(stream) {
    if (stream.match(/^;.*/)) return "comment";
    if (stream.match(/^\.[a-z_]+/)) return "keyword";
    if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return "string";
    if (stream.match(/^-?\d+/)) return "number";
    stream.next();
    stream.eatWhile(/[^\s;"]/);
    return null;
  },
});

/** A mistake, as a block under its line. */
class Mistake extends WidgetType {
  constructor(readonly message: string) {
    super();
  }

  override eq(other: Mistake): boolean {
    return this.message === other.message;
  }

  toDOM(): HTMLElement {
    const block = document.createElement("div");
    block.className = "mistake";
    block.textContent = this.message;
    return block;
  }
}

const setMistakes = StateEffect.define<DecorationSet>();

/** The marked lines. They stay at their lines while the text around them is edited. */
const mistakes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMistakes)) return effect.value;
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Replaces selected text by typed text. Chromium would copy the style of the old text into a `style` attribute, which the
 * page's policy forbids. */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

const LANGUAGES = { java: java(), toml: StreamLanguage.define(toml), assembly };

/** A message at a line, which is counted from 1. */
export interface Mark {
  line: number;
  message: string;
}

export interface Editor {
  text(): string;
  /** Proposes how a text may go on. */
  complete(source: CompletionSource): void;
  /** Replaces the text. `onChange` is not called. */
  set(text: string): void;
  /** Shows messages under their lines, in place of those before. */
  mark(marks: Mark[]): void;
  /** Makes a text that can only be read one that can be edited. */
  allowEdits(onChange: (text: string) => void): void;
}

/** Makes an editor in an element. Without `onChange` its text can only be read. */
export function editor(
  parent: HTMLElement,
  language: keyof typeof LANGUAGES,
  label: string,
  onChange?: (text: string) => void,
): Editor {
  let isOurs = false;
  let changed = onChange;
  const access = new Compartment();
  const proposals = new Compartment();
  const extensions: Extension[] = [
    proposals.of([]),
    EditorView.cspNonce.of(NONCE),
    lineNumbers(),
    history(),
    bracketMatching(),
    highlightSelectionMatches(),
    syntaxHighlighting(COLOURS),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    LANGUAGES[language],
    mistakes,
    replaceSelected,
    THEME,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    access.of(EditorState.readOnly.of(!onChange)),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isOurs) changed?.(update.state.doc.toString());
    }),
  ];
  const view = new EditorView({ parent, extensions });
  return {
    complete(source) {
      const extension = [autocompletion({ override: [source], icons: false }), keymap.of(completionKeymap)];
      view.dispatch({ effects: proposals.reconfigure(extension) });
    },
    text: () => view.state.doc.toString(),
    set(text) {
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isOurs = false;
    },
    mark(marks) {
      const { doc } = view.state;
      const lines = marks.map(({ line, message }) => ({ ...doc.line(Math.min(Math.max(line, 1), doc.lines)), message }));
      const ranges = lines.flatMap(({ from, to, message }) => [
        Decoration.line({ class: "wrong" }).range(from),
        Decoration.widget({ widget: new Mistake(message), block: true, side: 1 }).range(to),
      ]);
      const effects: StateEffect<unknown>[] = [setMistakes.of(Decoration.set(ranges, true))];
      const first = Math.min(...lines.map(({ from }) => from));
      if (lines.length > 0) effects.push(EditorView.scrollIntoView(first, { y: "center" }));
      view.dispatch({ effects });
    },
    allowEdits(onChange) {
      changed = onChange;
      view.dispatch({ effects: access.reconfigure(EditorState.readOnly.of(false)) });
    },
  };
}
