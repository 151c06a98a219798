import * as z from 'zod/mini';

const minPasswordLength = 12;

export const newPassword = z
  .string()
  .check(z.minLength(minPasswordLength, `a password has at least ${minPasswordLength} characters`), z.maxLength(1_024));

/** The secret that the page showed, and a code that an authenticator computed from it. */
export const totpSetUp = z.strictObject({
  secret: z.string().check(z.regex(/^[A-Z2-7]{32}$/)),
  code: z.string().check(z.regex(/^\d{6}$/, 'enter the six digits that the app shows')),
});
