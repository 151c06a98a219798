import { afterEach, expect, test, vi } from 'vitest';
import { createLaneStatus, type LaneStatusOptions } from '../src/lane/lane-status.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a tripped lane is probed after a minute, though the clock was set back by a day', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const position = { cluster: 'main', topic: 'raw.activity.v1', partition: 0, state: 'tripped', reason: 'why' };
  const status = createLaneStatus({ position, isProbe: false, skip: null } as unknown as LaneStatusOptions);
  vi.setSystemTime(Date.now() - 86_400_000);
  vi.advanceTimersByTime(59_000);
  expect(status.isProbeDue()).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(status.isProbeDue()).toBe(true);
});
