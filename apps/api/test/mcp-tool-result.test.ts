import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameResponse } from '../src/mcp/json-rpc-response.ts';
import { serializeToolResult } from '../src/mcp/tool-result.ts';

const resultOf = (body: string | Buffer) =>
  JSON.parse(frameResponse(1, serializeToolResult(body), []).toString()).result;

test('a result contains any JSON as text and as structured content, byte for byte', { tags: 'exhaustive' }, () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2, '\t', '\r\n'), (json, indent) => {
      const body = JSON.stringify(JSON.parse(json), null, indent);
      for (const given of [body, Buffer.from(body)]) {
        const serialized = frameResponse('a', serializeToolResult(given), ['"x":1']);
        expect(JSON.parse(serialized.toString())).toEqual({
          jsonrpc: '2.0',
          id: 'a',
          result: { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body), x: 1 },
        });
        expect(serialized.includes(`"structuredContent":${body},"x":1`)).toBe(true);
      }
    }),
  );
});

test('all digits of numbers are preserved', () => {
  const body = '{"data":{"size":1.50e2,"id":12345678901234567890}}';
  expect(frameResponse(1, serializeToolResult(body), []).toString()).toContain(`"structuredContent":${body}}}`);
  expect(resultOf(body).content[0].text).toBe(body);
});
