import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { pageBurstMs, statementRestMaxMs, statementTurnMaxMs } from '../src/limits.ts';
import { createStatementPacing } from '../src/throttling/statement-pacing.ts';
import { ownerOf } from './budget-scene.ts';

const patient = new AbortController().signal;

/** A service with a share that the test sets, and the statements that it runs. */
function createScene() {
  let share = 1;
  const excesses: string[] = [];
  const pacing = createStatementPacing({
    getShare: () => share,
    contendedShare: 0.25,
    addExcess: ({ tenantId }) => void excesses.push(tenantId),
  });
  const events: string[] = [];
  let waits = 0;
  return {
    events,
    excesses,
    waits: () => waits,
    setShare(next: number) {
      share = next;
    },
    begin: (tenantId: string, restsBeforeFirst: boolean, signal = patient, waitMaxMs = 10_000) => {
      const run = pacing.forRequest(ownerOf(tenantId), {
        restsBeforeFirst,
        waitMaxMs,
        signal,
        onWait(isWaiting) {
          waits += isWaiting ? 1 : -1;
        },
      });
      const runFor = (name: string, durationMs: number) =>
        run(async () => {
          events.push(`${name} begins`);
          await sleep(durationMs);
          events.push(`${name} ends`);
          return name;
        });
      return Object.assign(runFor, { isPaced: run.isPaced });
    },
  };
}

test('while tenants do not contend, statements run at once', async () => {
  const scene = createScene();
  const [one, two] = [scene.begin('noisy', true), scene.begin('noisy', true)];
  await Promise.all([one('a', 20), two('b', 20)]);
  expect(scene.events.slice(0, 2)).toEqual(['a begins', 'b begins']);
});

test('while tenants contend, statements of a tenant run one at a time across requests, and those of another tenant at once', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  await scene.begin('noisy', false)('burst', 2 * pageBurstMs);
  const [document, page, other] = [
    scene.begin('noisy', true),
    scene.begin('noisy', false),
    scene.begin('quiet', false),
  ];
  const all = [document('document', 60), page('page', 20), other('other', 20)];
  await expect(Promise.all(all)).resolves.toEqual(['document', 'page', 'other']);
  expect(scene.events.indexOf('page begins')).toBeGreaterThan(scene.events.indexOf('document ends'));
  expect(scene.events.indexOf('other begins')).toBeLessThan(scene.events.indexOf('document ends'));
});

test('while tenants contend, pages of a tenant that uses less than its share are not paced, and those above it are', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  const [one, two] = [scene.begin('quiet', false), scene.begin('quiet', false)];
  await Promise.all([one('a', 20), two('b', 20)]);
  expect(scene.events.slice(0, 2)).toEqual(['a begins', 'b begins']);
  expect(one.isPaced()).toBe(false);

  await one('c', 2 * pageBurstMs);
  expect(two.isPaced()).toBe(true);
  expect(scene.begin('other', false).isPaced()).toBe(false);
  // Half a second is spent, and what the statements took beyond their time: its share refills it in about 2 s.
  await vi.waitFor(() => expect(two.isPaced()).toBe(false), 20_000);
});

test('while tenants contend, the statements of a document run for the share of the time, and a page is not delayed by the rests', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  const document = scene.begin('noisy', true);
  const beganAt = performance.now();
  await document('first', 100);
  const second = document('second', 10);
  await scene.begin('noisy', false)('page', 1);
  await second;
  expect(scene.events).toEqual([
    'first begins',
    'first ends',
    'page begins',
    'page ends',
    'second begins',
    'second ends',
  ]);
  // 100 ms and three times as long a rest; timers fire up to a millisecond early.
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(400);
});

test('a rest ends early for a client that disconnects, and the next statement of the tenant takes its turn', async () => {
  const scene = createScene();
  scene.setShare(0.01);
  const disconnect = new AbortController();
  const document = scene.begin('noisy', true, disconnect.signal);
  await document('first', 40);
  const second = document('second', 1);
  await sleep(10);
  expect(scene.waits()).toBe(1);
  disconnect.abort(new Error('disconnected'));
  await expect(second).rejects.toThrow('disconnected');
  await expect(scene.begin('noisy', false)('page', 1)).resolves.toBe('page');
  expect(scene.events).not.toContain('second begins');
  expect(scene.waits()).toBe(0);
});

test('a tenant uses more than its share when a page follows one that ran longer than its allowance, not with a document', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  await scene.begin('noisy', true)('document', 20);
  await scene.begin('noisy', false)('page', pageBurstMs + 20);
  expect(scene.excesses).toEqual([]);
  await scene.begin('noisy', false)('next page', 1);
  await scene.begin('quiet', false)('page', 1);
  expect(new Set(scene.excesses)).toEqual(new Set(['noisy']));
});

test('a failing statement ends its turn', async () => {
  const pacing = createStatementPacing({ getShare: () => 0.25, contendedShare: 0.25, addExcess() {} });
  const run = pacing.forRequest(ownerOf('one'), {
    restsBeforeFirst: false,
    waitMaxMs: 10_000,
    signal: patient,
    onWait() {},
  });
  await expect(run(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await expect(run(async () => 'served')).resolves.toBe('served');
});

test('a statement waits for others of its tenant at most as long as a transaction may be idle', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  const long = scene.begin('noisy', false)('long', statementTurnMaxMs + 300);
  const next = scene.begin('noisy', true)('next', 1);
  await next;
  expect(scene.events.at(-1)).toBe('next ends');
  expect(scene.events).not.toContain('long ends');
  await long;
  // The server ends a transaction of the api that is idle for 5 s.
  expect(statementTurnMaxMs + statementRestMaxMs).toBeLessThanOrEqual(4_000);
});

test('a document whose statements waited too long ends, and a page runs on without rests', async () => {
  const scene = createScene();
  scene.setShare(0.25);
  const document = scene.begin('noisy', true, patient, 50);
  await document('first', 40);
  await document('second', 40);
  await expect(document('third', 40)).rejects.toThrow('the statements waited too long');
  expect(scene.events.at(-1)).toBe('second ends');
  const page = scene.begin('quiet', false, patient, 50);
  for (const part of ['one', 'two', 'three', 'four']) await page(part, 40);
  expect(scene.events.at(-1)).toBe('four ends');
});
