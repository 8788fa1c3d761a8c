// The timeline on a canvas: tracks of spans that one can scale, move, search and choose from.

import { axisTop } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { firstAt, stripOf, type Span, type Strip, type Timeline, type Track } from "./spans";

const ROW = 17;
const HEAD = 26;
const NAMES = 150;
const HEIGHT_MAX = 420;
/** The most that the scale can grow. */
const SCALE_MAX = 1e6;
/** The most arrows that are drawn at once. */
const ARROWS_MAX = 1000;

/** Colours of spans, in light and in dark. A name has the same colour everywhere. */
const HUES = [195, 30, 265, 140, 340, 55, 225, 100, 310, 170];

export class TimelineView {
  private shown: Timeline = { tracks: [], spans: [], arrows: [], rows: 0, end: 0 };
  private transform: ZoomTransform = zoomIdentity;
  private chosen: Span | null = null;
  private wanted = "";
  /** The spans that are searched for; null without a search. */
  private found: Span[] | null = null;
  /** What is searched in each span; null before the first search. */
  private texts: string[] | null = null;
  /** The spans of each track that are searched for. */
  private readonly foundOn = new Map<Track, Strip>();
  /** The beginnings and ends of the arrows, one after the other. */
  private arrowTimes = new Float64Array();
  private readonly resolved = new Map<boolean, [string, string, string]>();
  private readonly colours = { light: new Map<string, string>(), dark: new Map<string, string>() };
  /** Where a finger or the mouse has moved the view from, in pixels from the top. */
  private grip: number | null = null;
  private scrolled = 0;
  private asked = 0;
  private readonly zooming;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly onChoose: (span: Span | null) => void,
  ) {
    this.zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, SCALE_MAX])
      .filter((event: Event) => !(event instanceof WheelEvent && event.shiftKey))
      .on("start", ({ sourceEvent }: { sourceEvent: Event | null }) => {
        this.grip = heightOf(sourceEvent);
      })
      .on("zoom", ({ transform, sourceEvent }: { transform: ZoomTransform; sourceEvent: Event | null }) => {
        this.transform = transform;
        const grip = heightOf(sourceEvent);
        if (grip !== null && this.grip !== null) this.scroll(this.grip - grip);
        this.grip = grip;
        this.draw();
      });
    select(canvas).call(this.zooming).on("dblclick.zoom", null);
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    let width = 0;
    new ResizeObserver(() => {
      // A change of height alone leaves the scale as it is.
      if (canvas.clientWidth === width) return this.draw();
      width = canvas.clientWidth;
      this.fit();
    }).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  show(timeline: Timeline): void {
    this.shown = timeline;
    this.texts = null;
    this.arrowTimes = Float64Array.from(timeline.arrows.flatMap(({ from, to }) => [from.time, to.time]));
    this.search();
    this.canvas.dataset["spans"] = String(timeline.spans.length);
    this.scrolled = 0;
    const rows = HEAD + timeline.rows * ROW + 6 * timeline.tracks.length + 4;
    this.canvas.style.height = `${Math.min(Math.max(rows, 120), HEIGHT_MAX)}px`;
    // Where all rows are seen, a finger that moves up and down moves the page.
    this.canvas.style.touchAction = rows <= HEIGHT_MAX ? "pan-y" : "none";
    this.choose(null);
    this.fit();
  }

  spans(): Span[] {
    return this.shown.spans;
  }

  span(): Span | null {
    return this.chosen;
  }

  /** Returns the time of the chosen span, in microseconds. */
  time(): number | null {
    return this.chosen?.begin ?? null;
  }

  /** Shows the whole run. */
  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.zooming.extent([[NAMES, 0], [Math.max(width, NAMES + 1), height]]);
    this.zooming.translateExtent([[NAMES, 0], [Math.max(width, NAMES + 1), height]]);
    select(this.canvas).call(this.zooming.transform, zoomIdentity);
  }

  /** Scales and moves the view so that these spans fill most of it. */
  focus(spans: Span[]): void {
    const whole = this.whole;
    const begin = whole(Math.min(...spans.map((span) => span.begin)));
    const end = whole(Math.max(...spans.map((span) => span.end)));
    const room = Math.max(this.canvas.clientWidth - NAMES, 1);
    const scale = Math.min(Math.max((0.8 * room) / Math.max(end - begin, 1e-9), 1), SCALE_MAX);
    const left = NAMES + 0.05 * room - scale * begin;
    select(this.canvas).call(this.zooming.transform, zoomIdentity.translate(left, 0).scale(scale));
  }

  find(text: string): void {
    this.wanted = text.toLowerCase();
    this.search();
    const [first] = this.found ?? [];
    if (first) this.choose(first);
    this.draw();
  }

  /** Chooses the next span in time, or the one before. */
  step(by: 1 | -1): void {
    const spans = this.found ?? this.shown.spans;
    const at = this.chosen ? spans.indexOf(this.chosen) : by > 0 ? -1 : spans.length;
    const next = spans[at + by];
    if (next) this.choose(next);
  }

  /** Chooses the span that begins at this time of the run, in microseconds, or the first one after it. */
  chooseAt(time: number): void {
    const next = this.shown.spans.find((span) => span.begin >= time - 1e-7);
    if (next) this.choose(next);
  }

  choose(span: Span | null): void {
    this.chosen = span;
    if (span) this.reveal(span);
    this.onChoose(span);
    this.draw();
  }

  /** Finds the spans that are searched for. */
  private search(): void {
    this.foundOn.clear();
    const texts = this.wanted === "" ? [] : (this.texts ??= this.shown.spans.map(textOf));
    this.found = this.wanted === "" ? null : this.shown.spans.filter((_, at) => texts[at]?.includes(this.wanted));
    const byTrack = new Map<Track, Span[]>(this.shown.tracks.map((track) => [track, []]));
    for (const span of this.found ?? []) byTrack.get(span.track)?.push(span);
    for (const [track, spans] of byTrack) this.foundOn.set(track, stripOf(spans));
  }

  /** The part of the run at x without scaling. */
  private get whole() {
    return scaleLinear([0, this.shown.end || 1], [NAMES, this.canvas.clientWidth - 8]);
  }

  private get scale() {
    return this.transform.rescaleX(this.whole);
  }

  /** The scale as numbers: where time 0 is, and how many pixels a microsecond has. */
  private get line(): [number, number] {
    const { scale } = this;
    return [scale(0), scale(1) - scale(0)];
  }

  /** Moves the view so that a span is seen. */
  private reveal(span: Span): void {
    const x = this.scale(span.begin);
    if (x < NAMES || x > this.canvas.clientWidth - 20) {
      const middle = this.whole(span.begin);
      select(this.canvas).call(this.zooming.translateTo, middle, 0);
    }
    const y = this.y(span.track, span.depth);
    const room = this.canvas.clientHeight - ROW;
    if (y < HEAD || y > room) this.scroll(y - this.canvas.clientHeight / 2);
  }

  private scroll(by: number): void {
    const most = Math.max(0, HEAD + this.shown.rows * ROW + 6 * this.shown.tracks.length - this.canvas.clientHeight);
    this.scrolled = Math.min(most, Math.max(0, this.scrolled + by));
    this.draw();
  }

  private wheel(event: WheelEvent): void {
    if (!event.shiftKey) return;
    event.preventDefault();
    this.scroll(event.deltaY || event.deltaX);
  }

  private y(track: Track, depth: number): number {
    return HEAD + (track.top + depth) * ROW + 6 * this.shown.tracks.indexOf(track) - this.scrolled;
  }

  private click(event: MouseEvent): void {
    const scale = this.scale;
    let best: Span | null = null;
    let nearest = 5;
    for (const span of this.shown.spans) {
      const y = this.y(span.track, span.depth);
      if (event.offsetY < y || event.offsetY >= y + ROW) continue;
      const [left, right] = [scale(span.begin), scale(span.end)];
      const apart = Math.max(left - event.offsetX, event.offsetX - right, 0);
      if (apart < nearest) [best, nearest] = [span, apart];
    }
    this.choose(best);
  }

  private key(event: KeyboardEvent): void {
    // Those are keys of the browser, for instance to go back.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const zoomed = (by: number) => select(this.canvas).call(this.zooming.scaleBy, by);
    switch (event.key) {
      case "ArrowRight":
        this.step(1);
        break;
      case "ArrowLeft":
        this.step(-1);
        break;
      case "ArrowDown":
        this.scroll(3 * ROW);
        break;
      case "ArrowUp":
        this.scroll(-3 * ROW);
        break;
      case "+":
        zoomed(1.5);
        break;
      case "-":
        zoomed(1 / 1.5);
        break;
      case "Escape":
        this.choose(null);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  /** Draws with the next frame. */
  private draw(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.drawNow();
    });
  }

  private drawNow(): void {
    const { canvas, shown } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    // A canvas has whole pixels, and is made anew when its size is set.
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
    }
    const context = canvas.getContext("2d");
    if (!context || width <= NAMES) return;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [ink, faint, rule] = this.inks(isDark);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";

    context.save();
    context.beginPath();
    context.rect(NAMES, HEAD, width - NAMES, height - HEAD);
    context.clip();
    this.drawSpans(context, ink, isDark);
    this.drawArrows(context, faint);
    context.restore();

    context.fillStyle = ink;
    for (const track of shown.tracks) {
      const y = this.y(track, 0);
      if (y + track.rows * ROW < HEAD || y > height) continue;
      context.fillStyle = faint;
      context.fillText(track.nic, 6, y + ROW / 2, 50);
      context.fillStyle = ink;
      context.fillText(track.name, 60, y + ROW / 2, NAMES - 66);
      context.strokeStyle = rule;
      context.beginPath();
      context.moveTo(0, y - 3.5);
      context.lineTo(width, y - 3.5);
      context.stroke();
    }
    this.drawAxis(context, width, faint);
  }

  /** Returns the colours of text, of quiet text and of lines. */
  private inks(isDark: boolean): [string, string, string] {
    let found = this.resolved.get(isDark);
    if (!found) {
      const style = getComputedStyle(this.canvas);
      const ink = (name: string) => colour(this.canvas, style.getPropertyValue(name));
      found = [ink("--text"), ink("--quiet"), ink("--line")];
      this.resolved.set(isDark, found);
    }
    return found;
  }

  private drawSpans(context: CanvasRenderingContext2D, ink: string, isDark: boolean): void {
    const height = this.canvas.clientHeight;
    for (const track of this.shown.tracks) {
      const top = this.y(track, 0);
      if (top > height || top + track.rows * ROW < HEAD) continue;
      context.globalAlpha = this.found === null ? 1 : 0.2;
      this.drawStrip(context, track.strip, top, [ink, isDark]);
      // What is found lies above, since it would be hidden where many spans share a pixel.
      const found = this.foundOn.get(track);
      context.globalAlpha = 1;
      if (found) this.drawStrip(context, found, top, [ink, isDark]);
      if (this.chosen?.track === track) this.drawStrip(context, stripOf([this.chosen]), top, [ink, isDark]);
    }
  }

  /** Draws spans of a track. Of those that fall into the same two pixels of a row, one is drawn. */
  private drawStrip(context: CanvasRenderingContext2D, strip: Strip, top: number, inks: [string, boolean]): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [origin, perUnit] = this.line;
    const { spans, begins, ends } = strip;
    const drawn: number[] = [];
    for (let at = firstAt(strip, (NAMES - origin) / perUnit); at < spans.length; at++) {
      const left = origin + perUnit * (begins[at] as number);
      if (left > width) break;
      const right = origin + perUnit * (ends[at] as number);
      if (right < NAMES) continue;
      const span = spans[at] as Span;
      const column = Math.round(left / 2);
      if (right - left < 2 && drawn[span.depth] === column) continue;
      drawn[span.depth] = column;
      const y = top + span.depth * ROW;
      if (y <= height && y + ROW >= HEAD) this.drawSpan(context, span, [left, right, y], inks);
    }
  }

  private drawSpan(
    context: CanvasRenderingContext2D,
    span: Span,
    [left, right, y]: [number, number, number],
    [ink, isDark]: [string, boolean],
  ): void {
    context.fillStyle = this.colourOf(span.name, isDark);
    const wide = Math.max(right - left, 2);
    context.fillRect(left, y + 1, wide, ROW - 3);
    if (span === this.chosen) {
      context.strokeStyle = ink;
      context.lineWidth = 2;
      context.strokeRect(left - 1, y, wide + 2, ROW - 1);
    }
    if (wide <= 24) return;
    context.save();
    context.beginPath();
    context.rect(left, y, wide - 3, ROW);
    context.clip();
    context.fillStyle = ink;
    context.fillText(span.name, Math.max(left, NAMES) + 4, y + ROW / 2);
    context.restore();
  }

  private colourOf(name: string, isDark: boolean): string {
    const colours = isDark ? this.colours.dark : this.colours.light;
    let found = colours.get(name);
    if (found === undefined) {
      found = `hsl(${HUES[hash(name) % HUES.length]} 45% ${isDark ? 38 : 78}%)`;
      colours.set(name, found);
    }
    return found;
  }

  /** Returns the numbers of the arrows that are in view; null if they are too many to be told apart. */
  private arrowsInView(): number[] | null {
    const [origin, perUnit] = this.line;
    const first = (NAMES - origin) / perUnit;
    const last = (this.canvas.clientWidth - origin) / perUnit;
    const times = this.arrowTimes;
    const visible: number[] = [];
    for (let at = 0; at < times.length; at += 2) {
      const [from, to] = [times[at] as number, times[at + 1] as number];
      if ((from < first && to < first) || (from > last && to > last)) continue;
      if (visible.length === ARROWS_MAX) return null;
      visible.push(at / 2);
    }
    return visible;
  }

  /** Draws the arrows that are in view, if they are few enough. */
  private drawArrows(context: CanvasRenderingContext2D, ink: string): void {
    const [origin, perUnit] = this.line;
    context.strokeStyle = ink;
    context.lineWidth = 1;
    context.globalAlpha = 0.7;
    for (const number of this.arrowsInView() ?? []) {
      const arrow = this.shown.arrows[number];
      if (!arrow) continue;
      const { from, to } = arrow;
      const [x1, x2] = [origin + perUnit * from.time, origin + perUnit * to.time];
      const [y1, y2] = [this.y(from.track, 0) + ROW / 2, this.y(to.track, 0) + ROW / 2];
      context.beginPath();
      context.moveTo(x1, y1);
      context.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
      context.stroke();
      context.beginPath();
      context.arc(x2, y2, 2, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  private drawAxis(context: CanvasRenderingContext2D, width: number, ink: string): void {
    const { scale } = this;
    context.clearRect(0, 0, width, HEAD);
    context.fillStyle = ink;
    context.strokeStyle = ink;
    const ticks = scale.ticks(Math.max(2, Math.floor((width - NAMES) / 110)));
    const format = axisTop(scale).tickFormat() ?? scale.tickFormat(8);
    for (const tick of ticks) {
      const x = scale(tick);
      context.beginPath();
      context.moveTo(x, HEAD - 6);
      context.lineTo(x, HEAD);
      context.stroke();
      const label = `${format(tick, 0)} us`;
      const room = width - 3 - context.measureText(label).width;
      context.fillText(label, Math.min(x + 3, room), HEAD / 2);
    }
  }
}

/** Returns a colour as a canvas takes it, also one that depends on light and dark. */
function colour(element: HTMLElement, value: string): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  element.parentElement?.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Returns where a mouse or a single finger is, in pixels from the top; null for other events. */
function heightOf(event: Event | null): number | null {
  if (event instanceof WheelEvent) return null;
  if (event instanceof MouseEvent) return event.clientY;
  const touches = event !== null && "touches" in event ? (event as TouchEvent).touches : null;
  return touches?.length === 1 ? (touches[0]?.clientY ?? null) : null;
}

function textOf({ name, fields }: Span): string {
  return `${name} ${JSON.stringify(fields)}`.toLowerCase();
}

function hash(text: string): number {
  let found = 0;
  for (const letter of text) found = (found * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return found;
}
