import { expect, test, vi } from 'vitest';
import { createRateLimit } from '../src/http/rate-limit.ts';

test('each name is limited per minute, and the error reports the time to wait', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const consume = createRateLimit(3);
    for (let count = 0; count < 3; count += 1) consume('one');
    vi.advanceTimersByTime(20_000);
    expect(() => consume('one')).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', message: expect.stringContaining('40 s') }),
    );
    consume('other');
    vi.advanceTimersByTime(40_000);
    consume('one');
  } finally {
    vi.useRealTimers();
  }
});
