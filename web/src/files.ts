// Files from this computer: classes, archives of classes, and Java sources.

import { entries, unpack, type Entry } from "./zip";

/** The longest class file, source and archive that are taken, in bytes. */
const MOST = { class: 4 << 20, java: 1 << 20, jar: 50 << 20 };

/** A class, and the source beside it. */
export interface Opened {
  name: string;
  bytes: Uint8Array;
  source: string | null;
}

/** Classes that were opened together. */
export interface Choice {
  /** Their names. */
  names: string[];
  /** Reads one of them. */
  read(name: string): Promise<Opened>;
}

/** Reads files that were opened together: classes and archives, with sources for them. */
export async function choiceOf(files: File[]): Promise<{ choice: Choice | null; sources: Map<string, string> }> {
  const sources = new Map<string, string>();
  const readers = new Map<string, () => Promise<Opened>>();
  for (const file of files) {
    const bytes = await content(file);
    if (/\.java$/i.test(file.name)) {
      sources.set(file.name, new TextDecoder().decode(bytes));
    } else if (isArchive(bytes)) {
      for (const [name, read] of classesOf(file.name, bytes)) readers.set(name, read);
    } else {
      readers.set(file.name, async () => ({ name: file.name, bytes, source: null }));
    }
  }
  const read = async (name: string) => {
    const opened = await readers.get(name)?.();
    if (!opened) throw new Error(`there is no ${name}`);
    return { ...opened, source: sources.get(sourceName(name)) ?? opened.source };
  };
  const names = [...readers.keys()];
  return { choice: names.length > 0 ? { names, read } : null, sources };
}

async function content(file: File): Promise<Uint8Array> {
  const kind = /\.(jar|zip)$/i.test(file.name) ? "jar" : /\.java$/i.test(file.name) ? "java" : "class";
  const most = MOST[kind];
  if (file.size > most) throw new Error(`${file.name} has ${file.size} bytes; here it may have ${most}`);
  return new Uint8Array(await file.arrayBuffer());
}

function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/** Returns how to read each class of an archive. */
function classesOf(archive: string, bytes: Uint8Array): Map<string, () => Promise<Opened>> {
  const failed = (error: unknown) => new Error(`${archive} ${error instanceof Error ? error.message : error}`);
  let all: Entry[];
  try {
    all = entries(bytes);
  } catch (error) {
    throw failed(error);
  }
  const classes = all.filter(({ name }) => /\.class$/.test(name) && !/(^|\/)(module|package)-info\.class$/.test(name));
  if (classes.length === 0) throw new Error(`${archive} has no class`);
  const read = async (entry: Entry) => {
    try {
      const source = all.find(({ name }) => name === sourceName(entry.name));
      return {
        name: entry.name,
        bytes: await unpack(bytes, entry, MOST.class),
        source: source ? new TextDecoder().decode(await unpack(bytes, source, MOST.java)) : null,
      };
    } catch (error) {
      throw failed(error);
    }
  };
  return new Map(classes.map((entry) => [entry.name, () => read(entry)]));
}

/** Returns the name of the source that javac has made a class of, as a rule: that of its outermost class. */
export function sourceName(name: string): string {
  return name.replace(/(\$[^/]*)?\.class$/, ".java");
}
