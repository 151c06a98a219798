import type { Page, StreamInput } from '../src/provider/provider.ts';
import { ProviderFailure } from '../src/provider/provider-failure.ts';
import { readWindows } from '../src/provider/window/time-windows.ts';
import type { Entry, WindowSource } from '../src/provider/window/window-source.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const startMs = Date.UTC(2026, 10, 20);

export const times = {
  windowMs: 6 * hourMs,
  partMinMs: 5 * minuteMs,
  overlapMs: hourMs,
  rereads: [
    { everyMs: hourMs, backMs: 6 * hourMs },
    { everyMs: dayMs, backMs: 3 * dayMs },
  ],
  retentionMs: 7 * dayMs,
  retentionReason: 'too old',
  firstMs: 7 * dayMs - hourMs,
  pageMax: 64,
} as const;

/** Events with a time, listed from another time on, in pages of three from the newest. */
export class Provider {
  readonly events: { readonly id: string; readonly timeMs: number; readonly listedAtMs: number }[] = [];
  nowMs = startMs;
  listings = 0;
  generation = 1;
  /** The load of an entry that fails next. */
  failing: string | null = null;
  /** Entries whose load fails always. */
  readonly broken = new Set<string>();

  readonly source: WindowSource = {
    ...times,
    list: async (fromMs, toMs, next) => {
      this.listings += 1;
      const [generation, from] = next === null ? [this.generation, 0] : (JSON.parse(next) as [number, number]);
      if (generation !== this.generation) return 'expired';
      const found = this.events
        .filter(({ timeMs, listedAtMs }) => timeMs >= fromMs && timeMs < toMs && listedAtMs <= this.nowMs)
        .toSorted((a, b) => b.timeMs - a.timeMs);
      const entries = found.slice(from, from + 3).map(({ id, timeMs }) => ({ id, timeMs, load: () => this.load(id) }));
      return { entries, next: from + 3 < found.length ? JSON.stringify([generation, from + 3]) : null };
    },
  };

  private load(id: string): Awaited<ReturnType<Entry['load']>> {
    if (this.broken.has(id)) throw new ProviderFailure('unavailable', 'broken content');
    if (this.failing !== id) return { records: [Buffer.from(id)], gaps: [] };
    this.failing = null;
    throw new ProviderFailure('unavailable', 'a failure of the test');
  }
}

/** A stream: its stored position, and what was published. */
export class Stream {
  createdAtMs = startMs;
  startAtMs = startMs - times.retentionMs;
  position: unknown = null;
  readonly published: string[] = [];
  /** Pages that are progress, of all runs. */
  progress = 0;
  readonly gaps: Page['gaps'][number & keyof Page['gaps']][] = [];

  /** One run. `pages`: it is killed after the publication of so many pages, whose last position is not stored. */
  async run(provider: Provider, pages = Number.POSITIVE_INFINITY): Promise<void> {
    const { createdAtMs, startAtMs, position } = this;
    const input = { url: 'https://api.example.com', createdAtMs, startAtMs, nowMs: provider.nowMs, position };
    let count = 0;
    for await (const page of readWindows(input as unknown as StreamInput, provider.source)) {
      this.published.push(...page.records.map(String));
      if (page.isProgress !== false) this.progress += 1;
      if (++count > pages) return;
      this.position = JSON.parse(JSON.stringify(page.position));
      this.gaps.push(...((page.gaps ?? []) as never[]));
    }
  }
}
