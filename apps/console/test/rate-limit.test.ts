import { expect, test, vi } from 'vitest';
import { createRateLimit } from '../src/http/rate-limit.ts';

test('so many within a minute for each name, and then it is said how long to wait', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const pace = createRateLimit(3);
    for (let count = 0; count < 3; count += 1) pace('one');
    vi.advanceTimersByTime(20_000);
    expect(() => pace('one')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', message: expect.stringContaining('40 s') }),
    );
    pace('other');
    vi.advanceTimersByTime(40_000);
    pace('one');
  } finally {
    vi.useRealTimers();
  }
});
