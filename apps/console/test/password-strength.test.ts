import { expect, test } from 'vitest';
import { requireStrongPassword } from '../src/sign-in/password-strength.ts';

const context = ['Ada Kowalska', 'Larkspur Instruments'];

test.each([
  '1qaz2wsx3edc',
  'password1234',
  'passwordpassword',
  'qwertyuiop12',
  'aaaaaaaaaaaa',
  'Tenantscope2026!',
  'larkspur2026!',
  'AdaKowalska1',
  'a'.repeat(1_024),
])('the password %s is refused as easy to guess', (password) => {
  expect(() => requireStrongPassword(password, context)).toThrow('easy to guess');
});

test.each(['a long enough password', '9fjK2-dlQm7x', 'zażółć gęślą jaźń', 'correct horse battery'])(
  'the password %s is accepted',
  (password) => {
    expect(() => requireStrongPassword(password, context)).not.toThrow();
  },
);
