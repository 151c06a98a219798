import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, ImportOutcome, StoredImport } from '@tenantscope/store/admin';
import type { ProgressBar } from '../../../output/progress-bar.ts';

const pollMs = 250;
/** Ingestion writes every second, and a process that was killed is replaced within 20 s. */
const patienceMs = 60_000;

/** What ingestion has counted when every published message is settled, or when nothing has moved for a minute. */
export async function waitForSettlement(
  admin: Admin,
  stored: Pick<StoredImport, 'id' | 'tenantId'>,
  published: number,
  progress: ProgressBar,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  let outcome = await admin.imports.readOutcome(stored);
  let movedAtMs = performance.now();
  while (outcome.messages < published && !signal.aborted && performance.now() - movedAtMs < patienceMs) {
    await pause(pollMs);
    const next = await admin.imports.readOutcome(stored);
    if (next.messages > outcome.messages) movedAtMs = performance.now();
    progress.advance(next.messages - outcome.messages, next.messages - outcome.messages);
    outcome = next;
  }
  return outcome;
}

/** Why messages are not settled. */
export async function describeDelay(admin: Admin, topic: string, unsettled: number): Promise<string> {
  const halted = (await admin.lanes.listAvailable()).found.filter(
    (lane) => lane.topic === topic && lane.reason !== null,
  );
  const waiting = `${unsettled.toLocaleString('en')} published records are not settled`;
  if (halted.length === 0) return `${waiting}: ingestion has not read them yet; see "tenantscope lanes list"`;
  return `${waiting}: ${halted.map(({ partition, reason }) => `${topic}/${partition}: ${reason}`).join('; ')}`;
}
