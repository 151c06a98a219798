import { expect, test } from 'vitest';
import { contentionDurationMs, excessDurationMs, otherTenantsActiveMs } from '../src/limits.ts';
import { createContention } from '../src/throttling/contention.ts';
import type { SlotOwner } from '../src/throttling/group-counter.ts';
import { ownerOf } from './budget-scene.ts';

const pollMs = 25;

/** A service on a clock that the test moves, polled as the watermark is, with two tenants that send requests. */
function createScene() {
  let nowMs = 0;
  const contention = createContention(0.25, () => nowMs);
  let requesters = [ownerOf('one'), ownerOf('two')];
  return {
    isContended: (tenantId = 'one', keyId = `key of ${tenantId}`) => contention.getShare({ tenantId, keyId }) < 1,
    addExcess: (tenantId: string) => contention.addExcess(ownerOf(tenantId)),
    setRequesters(active: SlotOwner[]) {
      requesters = active;
    },
    poll(roundTrips: readonly number[], durationMs: number) {
      for (let n = 0; n < durationMs / pollMs; n++) {
        nowMs += pollMs;
        contention.addRoundTrip(roundTrips[n % roundTrips.length] as number);
        for (const requester of requesters) contention.addRequest(requester);
      }
    },
  };
}

test('tenants contend within 300 ms after round trips take several times their usual time, and a minute after it', () => {
  const scene = createScene();
  scene.poll([0.9, 1.1], 10_000);
  expect(scene.isContended()).toBe(false);
  scene.poll([5], 300);
  expect(scene.isContended()).toBe(true);
  scene.poll([1], contentionDurationMs - 400);
  expect(scene.isContended()).toBe(true);
  scene.poll([1], 2_500);
  expect(scene.isContended()).toBe(false);
});

test('a tenant that used more than its share while tenants contended is limited to it for ten minutes, the others are not', () => {
  const scene = createScene();
  scene.poll([1], 5_000);
  scene.addExcess('two');
  scene.poll([9], 2_000);
  scene.addExcess('one');
  scene.poll([1], contentionDurationMs + 5_000);
  expect([scene.isContended('one'), scene.isContended('two')]).toEqual([true, false]);
  // Not prolonged by what it does while nothing is saturated.
  scene.addExcess('one');
  scene.poll([1], excessDurationMs - contentionDurationMs - 10_000);
  expect(scene.isContended('one')).toBe(true);
  scene.setRequesters([ownerOf('one')]);
  scene.poll([1], otherTenantsActiveMs + 100);
  expect(scene.isContended('one')).toBe(false);
  scene.setRequesters([ownerOf('one'), ownerOf('two')]);
  scene.poll([1], 5_000);
  expect(scene.isContended('one')).toBe(false);
});

test('single slow round trips, and a database that is far away, are no contention', () => {
  const near = createScene();
  near.poll([1], 5_000);
  near.poll([1, 1, 80], 20_000);
  expect(near.isContended()).toBe(false);
  const far = createScene();
  far.poll([40, 60], 20_000);
  expect(far.isContended()).toBe(false);
});

test('a service of which one tenant alone sends requests is not contended for this tenant', () => {
  const scene = createScene();
  scene.poll([1], 5_000);
  scene.poll([9], 2_000);
  expect([scene.isContended('one'), scene.isContended('two'), scene.isContended('three')]).toEqual([true, true, true]);
  scene.setRequesters([ownerOf('one')]);
  scene.poll([9], otherTenantsActiveMs + 100);
  expect([scene.isContended('one'), scene.isContended('two')]).toEqual([false, true]);
});

test('a service that stays slower than before is no longer contended after two periods', () => {
  const scene = createScene();
  scene.poll([1], 5_000);
  scene.poll([8], 1_300_000);
  expect(scene.isContended()).toBe(false);
  scene.poll([40], 1_100);
  expect(scene.isContended()).toBe(true);
});

test('a key that reads many tenants, and a tenant with many keys, do not contend with themselves', () => {
  const scene = createScene();
  scene.poll([1], 5_000);
  scene.poll([9], 2_000);
  const tenants = Array.from({ length: 50 }, (_, number) => `tenant ${number}`);
  scene.setRequesters(tenants.map((tenant) => ownerOf(tenant, 'sweep')));
  scene.poll([9], otherTenantsActiveMs + 100);
  expect(tenants.filter((tenant) => scene.isContended(tenant, 'sweep'))).toEqual([]);
  scene.setRequesters(tenants.map((key) => ownerOf('one', key)));
  scene.poll([9], otherTenantsActiveMs + 100);
  expect(tenants.filter((key) => scene.isContended('one', key))).toEqual([]);
});

test('no number of tenants or keys of one client hides the requests of another one', () => {
  const scene = createScene();
  scene.poll([1], 5_000);
  const tenants = Array.from({ length: 50 }, (_, number) => `tenant ${number}`);
  for (const flood of [tenants.map((tenant) => ownerOf(tenant, 'wide')), tenants.map((key) => ownerOf('noisy', key))]) {
    scene.setRequesters([ownerOf('quiet'), ...flood]);
    scene.poll([9], 2_000);
    for (const { tenantId, keyId } of flood) expect(scene.isContended(tenantId, keyId)).toBe(true);
    expect(scene.isContended('quiet')).toBe(true);
  }
});
