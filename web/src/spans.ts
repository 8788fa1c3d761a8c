// The records of a timeline, as tracks of spans.

/** A record of the trace event format, as `jive run --perfetto` writes it. Times are microseconds. */
export interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  id?: number;
  args?: Record<string, unknown>;
}

export interface Span {
  name: string;
  begin: number;
  end: number;
  /** The row within the track: a span that lies inside another one stands below it. */
  depth: number;
  track: Track;
  fields: Record<string, unknown>;
  /** The packet that it is about: that of its fields, or that of the span which an arrow joins to it. */
  packet: number | null;
}

/** Spans of one track in the order of their beginnings. Their times stand once more in arrays of numbers, through which a
 * frame can go 100,000 times. */
export interface Strip {
  spans: Span[];
  begins: Float64Array;
  ends: Float64Array;
  /** How long the longest of them is. */
  longest: number;
}

export interface Track {
  nic: string;
  name: string;
  spans: Span[];
  strip: Strip;
  /** The number of rows. */
  rows: number;
  /** The first row of the track among all rows. */
  top: number;
}

export interface Arrow {
  from: { track: Track; time: number };
  to: { track: Track; time: number };
}

export interface Timeline {
  tracks: Track[];
  /** All spans, in the order of their beginnings. */
  spans: Span[];
  arrows: Arrow[];
  end: number;
  rows: number;
}

/** Makes a strip of spans in the order of their beginnings. */
export function stripOf(spans: Span[]): Strip {
  const [begins, ends] = [Float64Array.from(spans, ({ begin }) => begin), Float64Array.from(spans, ({ end }) => end)];
  const longest = spans.reduce((longest, { begin, end }) => Math.max(longest, end - begin), 0);
  return { spans, begins, ends, longest };
}

/** Returns the number of the first span that may reach a time. */
export function firstAt({ begins, longest }: Strip, time: number): number {
  let [low, high] = [0, begins.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((begins[middle] ?? 0) < time - longest) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the fields of a record, without the level of `call` and `end` that a call has. */
function fields(args: Record<string, unknown> | undefined): Record<string, unknown> {
  const { call, end, ...rest } = args ?? {};
  return { ...rest, ...(call as object | undefined), ...(end as object | undefined) };
}

function about(args: Record<string, unknown> | undefined): Pick<Span, "fields" | "packet"> {
  const all = fields(args);
  return { fields: all, packet: typeof all["packet"] === "number" ? all["packet"] : null };
}

/** Gives spans that name no packet, such as calls, the packet of the span before them, or else of the one behind. */
function joinPackets(tracks: Track[], arrows: Arrow[]): void {
  const beginning = new Map<Track, Map<number, Span>>();
  for (const track of tracks) beginning.set(track, new Map(track.spans.map((span) => [span.begin, span])));
  const at = ({ track, time }: Arrow["from"]) => beginning.get(track)?.get(time);
  for (const { from, to } of arrows) {
    const target = at(to);
    if (target) target.packet ??= at(from)?.packet ?? null;
  }
  for (const { from, to } of arrows) {
    const source = at(from);
    if (source) source.packet ??= at(to)?.packet ?? null;
  }
}

/** Makes tracks of the records of a timeline. */
export function tracksOf(events: TraceEvent[]): Timeline {
  const nics = new Map<number, string>();
  const tracks = new Map<string, Track & { order: number; pid: number }>();
  const track = (pid: number, tid: number) => {
    const key = `${pid}/${tid}`;
    let found = tracks.get(key);
    if (!found) {
      found = { nic: "", name: "", spans: [], strip: stripOf([]), rows: 1, top: 0, order: tid, pid };
      tracks.set(key, found);
    }
    return found;
  };
  const starts = new Map<number, Arrow["from"]>();
  const arrows: Arrow[] = [];
  for (const event of events) {
    const text = event.args?.["name"];
    switch (event.ph) {
      case "M":
        if (event.name === "process_name") nics.set(event.pid, String(text));
        else if (event.name === "thread_name") track(event.pid, event.tid).name = String(text);
        else if (event.name === "thread_sort_index") {
          track(event.pid, event.tid).order = Number(event.args?.["sort_index"]);
        }
        break;
      case "X":
      case "i": {
        const own = track(event.pid, event.tid);
        const end = event.ts + (event.dur ?? 0);
        own.spans.push({ name: event.name, begin: event.ts, end, depth: 0, track: own, ...about(event.args) });
        break;
      }
      case "s":
        starts.set(event.id ?? -1, { track: track(event.pid, event.tid), time: event.ts });
        break;
      case "f": {
        const from = starts.get(event.id ?? -1);
        if (from) arrows.push({ from, to: { track: track(event.pid, event.tid), time: event.ts } });
        break;
      }
    }
  }
  const ordered = [...tracks.values()].filter((own) => own.spans.length > 0);
  ordered.sort((a, b) => a.pid - b.pid || a.order - b.order);
  let rows = 0;
  for (const own of ordered) {
    own.nic = nics.get(own.pid) ?? "";
    own.top = rows;
    own.rows = stack(own.spans);
    own.strip = stripOf(own.spans);
    rows += own.rows;
  }
  joinPackets(ordered, arrows);
  const spans = ordered.flatMap((own) => own.spans).sort((a, b) => a.begin - b.begin);
  return { tracks: ordered, spans, arrows, rows, end: spans.reduce((end, span) => Math.max(end, span.end), 0) };
}

/** Puts each span of a track into the first row where it does not overlap an earlier one. Returns the number of rows. */
function stack(spans: Span[]): number {
  spans.sort((a, b) => a.begin - b.begin || b.end - a.end);
  const ends: number[] = [];
  for (const span of spans) {
    let row = ends.findIndex((end) => end <= span.begin);
    if (row < 0) row = ends.length;
    ends[row] = Math.max(span.end, span.begin + Number.EPSILON);
    span.depth = row;
  }
  return Math.max(1, ends.length);
}
