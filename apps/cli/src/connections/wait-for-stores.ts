import { setTimeout as sleep } from 'node:timers/promises';
import { KafkaUnavailable } from '@tenantscope/publish';
import { isKafkaAccessRefused } from '@tenantscope/runtime';
import { isUnavailable } from '@tenantscope/store/connection';
import { parseInteger } from '../input/option-parsers.ts';

const intervalMs = 1_000;

/** The value of an option `--wait SECONDS`, in milliseconds. */
export function parseWait(text: string): number {
  return parseInteger(text, '--wait', { from: 0, to: 3_600 }) * 1_000;
}

/** Repeats work while a store is unreachable, refuses the login or has not got its ACLs yet, until `waitMs` have passed. Any other error is final. */
export async function waitForStores<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() >= deadline) throw error;
      await sleep(intervalMs);
    }
  }
}

const mayPass = (error: unknown) =>
  error instanceof KafkaUnavailable || isKafkaAccessRefused(error) || isUnavailable(error);
