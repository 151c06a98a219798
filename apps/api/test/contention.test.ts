import { expect, test } from 'vitest';
import { contentionDurationMs, otherTenantsActiveMs } from '../src/limits.ts';
import { createContention } from '../src/throttling/contention.ts';

const pollMs = 25;

/** A service on a clock that the test moves, polled as the watermark is, with two tenants that send requests. */
function createScene() {
  let nowMs = 0;
  const contention = createContention(0.25, () => nowMs);
  let tenants = ['one', 'two'];
  return {
    isContended: (tenantId = 'one') => contention.getShare(tenantId) < 1,
    setTenants(active: string[]) {
      tenants = active;
    },
    poll(roundTrips: readonly number[], durationMs: number) {
      for (let n = 0; n < durationMs / pollMs; n++) {
        nowMs += pollMs;
        contention.addRoundTrip(roundTrips[n % roundTrips.length] as number);
        for (const tenant of tenants) contention.addRequest(tenant);
      }
    },
  };
}

test('tenants contend within a second after round trips take several times their usual time, and a minute after it', () => {
  const scene = createScene();
  scene.poll([0.9, 1.1], 10_000);
  expect(scene.isContended()).toBe(false);
  scene.poll([5], 1_100);
  expect(scene.isContended()).toBe(true);
  scene.poll([1], contentionDurationMs - 1_200);
  expect(scene.isContended()).toBe(true);
  scene.poll([1], 2_500);
  expect(scene.isContended()).toBe(false);
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
  scene.setTenants(['one']);
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
