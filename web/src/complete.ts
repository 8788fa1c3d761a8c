// Completion of scenarios, from their table of keys.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";

/** A key of a section, as `jive-web/src/keys.rs` describes it. */
export interface Key {
  name: string;
  about: string;
  words?: string[];
  plain?: string[];
  names_of?: string;
  section?: string;
  is_list: boolean;
}

export type Sections = Record<string, Key[]>;

const ROOT = "the scenario";

/** Returns what completes a scenario at a place. `applets` are the names of the shipped ones. */
export function completing(sections: Sections, applets: string[]) {
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos } = context;
    const line = state.doc.lineAt(pos);
    const before = state.doc.sliceString(line.from, pos);
    if (/^[^"']*#/.test(before)) return null;
    const result = (typed: string, options: Completion[]) =>
      options.length > 0 && (typed !== "" || context.explicit) ? { from: pos - typed.length, options, validFor: /^[\w"[.:-]*$/ } : null;

    const header = /^\s*(\[[[\w.-]*)$/.exec(before);
    if (header) return result(header[1] ?? "", headers(sections));
    // A table in braces has the keys of the section that the key before it takes.
    const text = state.doc.sliceString(0, line.from);
    const inline = /([\w-]+)\s*=\s*\[?\s*(?:\{[^{}]*\}\s*,\s*)*\{([^{}]*)$/.exec(before);
    const outer = keysAt(sections, text);
    const keys = inline ? keysOf(sections, outer.find(({ name }) => name === inline[1])) : outer;
    const rest = inline ? (inline[2] ?? "") : before;

    const value = /([\w-]+)\s*=\s*\[?\s*("?[\w:.-]*)$/.exec(rest);
    if (value) {
      const key = keys.find(({ name }) => name === value[1]);
      return key ? result(value[2] ?? "", values(key, state.doc.toString(), applets)) : null;
    }
    const typed = /(?:^|,)\s*([\w-]*)$/.exec(rest)?.[1];
    if (typed === undefined) return null;
    return result(typed, keys.map(({ name, about }) => ({ label: name, info: about, type: "property", apply: `${name} = ` })));
  };
}

/** Returns the keys of the section that the last header of a text begins. */
function keysAt(sections: Sections, text: string): Key[] {
  const found = [...text.matchAll(/^\s*\[+\s*([\w.-]+)\s*\]+/gm)].pop()?.[1];
  let keys = sections[ROOT] ?? [];
  for (const name of found?.split(".") ?? []) keys = keysOf(sections, keys.find((key) => key.name === name));
  return keys;
}

function keysOf(sections: Sections, key: Key | undefined): Key[] {
  return (key?.section !== undefined && sections[key.section]) || [];
}

/** Returns the headers that a scenario may have. */
function headers(sections: Sections): Completion[] {
  const tables = (sections[ROOT] ?? []).filter(({ section }) => section !== undefined);
  return tables.map(({ name, about, is_list }) => ({ label: is_list ? `[[${name}]]` : `[${name}]`, info: about, type: "class" }));
}

function values(key: Key, text: string, applets: string[]): Completion[] {
  const names = key.names_of === undefined ? [] : namesOf(text, key.names_of);
  const shipped = key.name === "applet" ? applets.map((name) => `builtin:${name}`) : [];
  const quoted = [...(key.words ?? []), ...names, ...shipped].map((word) => `"${word}"`);
  return [...quoted, ...(key.plain ?? [])].map((label) => ({ label, type: "constant" }));
}

/** Returns the names that the tables of this kind have in a scenario. */
function namesOf(text: string, table: string): string[] {
  const parts = text.split(/^(?=\s*\[)/m).filter((part) => new RegExp(`^\\s*\\[\\[\\s*${table}\\s*\\]\\]`).test(part));
  const names = parts.map((part) => /^\s*name\s*=\s*"([^"]*)"/m.exec(part)?.[1]);
  return names.filter((name) => name !== undefined);
}
