import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeal } from '../src/seal.ts';

const secret = 'a secret that is long enough to be one';

test('sealed text can be opened only with the same context, secret and purpose', { tags: 'exhaustive' }, () => {
  const seal = createSeal('cookies', secret);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, context, other) => {
      const sealed = seal.close(text, context);
      expect(seal.open(sealed, context)).toBe(Buffer.from(text).toString());
      if (other !== context) expect(seal.open(sealed, other)).toBeNull();
      expect(createSeal('authenticators', secret).open(sealed, context)).toBeNull();
      expect(createSeal('cookies', `${secret}.`).open(sealed, context)).toBeNull();
      expect(seal.close(text, context)).not.toBe(sealed);
    }),
  );
});

test('changed, truncated and unsealed text is refused', () => {
  const seal = createSeal('cookies', secret);
  const sealed = Buffer.from(seal.close('identity', 'state'), 'base64url');
  for (let at = 0; at < sealed.length; at += 1) {
    const forged = Buffer.from(sealed);
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(seal.open(forged.toString('base64url'), 'state'), `byte ${at}`).toBeNull();
    expect(seal.open(sealed.subarray(0, at).toString('base64url'), 'state'), `truncated at ${at}`).toBeNull();
  }
  fc.assert(fc.property(fc.string(), (text) => seal.open(text, 'state') === null));
});
