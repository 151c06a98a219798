import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frame } from '../src/mcp/response.ts';
import { printToolResult } from '../src/mcp/tool-result.ts';

const resultOf = (body: string | Buffer) => JSON.parse(frame(1, printToolResult(body), []).toString()).result;

test('any JSON is its own text and stands beside it, to the byte', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2, '\t', '\r\n'), (json, indent) => {
      const body = JSON.stringify(JSON.parse(json), null, indent);
      for (const given of [body, Buffer.from(body)]) {
        const printed = frame('a', printToolResult(given), ['"x":1']);
        expect(JSON.parse(printed.toString())).toEqual({
          jsonrpc: '2.0',
          id: 'a',
          result: { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body), x: 1 },
        });
        expect(printed.includes(`"structuredContent":${body},"x":1`)).toBe(true);
      }
    }),
  );
});

test('numbers keep their digits', () => {
  const body = '{"data":{"size":1.50e2,"id":12345678901234567890}}';
  expect(frame(1, printToolResult(body), []).toString()).toContain(`"structuredContent":${body}}}`);
  expect(resultOf(body).content[0].text).toBe(body);
});
