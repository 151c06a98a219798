import { expect, test } from 'vitest';
import { buildInstructions } from '../src/mcp/instructions.ts';

const text = buildInstructions({ name: 'Own' } as never, Date.parse('2026-11-30T12:00:00Z'));

test('the instructions name what a date means, and where an empty or long list is not everything', () => {
  expect(text).toContain('Today is 2026-11-30.');
  expect(text).toContain('a date alone is its 00:00');
  expect(text).toContain('An empty result means that no stored row matched, not that nothing happened');
  for (const name of ['pagination.note', 'unreadSince', 'list_feeds', 'hasMore=true', '100 entries'])
    expect(text).toContain(name);
});
