import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, AvailableOutcome, StoredImport } from '@tenantscope/store/admin';
import { formatCount } from '../../../output/count.ts';
import type { ProgressBar } from '../../../output/progress-bar.ts';

const pollMs = 250;
/** Ingestion writes every second, and a process that was killed is replaced within 20 s. */
const patienceMs = 60_000;

/** What ingestion has counted when every published message is settled, or when nothing has moved for a minute. */
export async function waitForSettlement(
  admin: Admin,
  stored: Pick<StoredImport, 'id' | 'tenantId' | 'topic'>,
  published: number,
  progress: ProgressBar,
  signal: AbortSignal,
): Promise<AvailableOutcome> {
  let read = await admin.imports.readOutcome(stored);
  let movedAtMs = performance.now();
  while (read.outcome.messages < published && !signal.aborted && performance.now() - movedAtMs < patienceMs) {
    await pause(pollMs);
    const next = await admin.imports.readOutcome(stored);
    const more = next.outcome.messages - read.outcome.messages;
    if (more > 0) movedAtMs = performance.now();
    progress.advance(more, more);
    read = next;
  }
  return read;
}

/** Why messages are not settled. */
export async function describeDelay(admin: Admin, topic: string, unsettled: number): Promise<string> {
  const halted = (await admin.lanes.listAvailable()).found.filter(
    (lane) => lane.topic === topic && lane.reason !== null,
  );
  const waiting = formatCount(unsettled, 'published record is not settled', 'published records are not settled');
  if (halted.length === 0) return `${waiting}: ingestion has not read them yet; see "tenantscope lanes list"`;
  return `${waiting}: ${halted.map(({ partition, reason }) => `${topic}/${partition}: ${reason}`).join('; ')}`;
}
