import { readErrorCode } from './errors.ts';

/** SQLSTATE of a wrong password. */
const invalidPassword = '28P01';
/** The file's password, the previous one, and the file's again: the server may have changed between the first two. */
const maxAttempts = 3;

/** The passwords of a pool while one is rotated: the present one of its file, and the last one that the server accepted. */
export interface Passwords {
  /** The one to try next. */
  readonly choose: () => string;
  /** Reports the outcome of a connection with it: null where it was accepted. */
  readonly report: (password: string, error: unknown) => void;
  /** Whether the next one to try differs from the one that the server rejected last. */
  readonly hasOther: () => boolean;
}

/**
 * PostgreSQL has one password per login, and it cannot change at the same time as a file, so that a new connection tries the other one where
 * the server rejects the first. Several connections may do so at once.
 */
export function createPasswords(readPresent: () => string): Passwords {
  let lastAccepted: string | null = null;
  let rejected: string | null = null;
  let lastRejected: string | null = null;
  const choose = () => {
    const present = readPresent();
    return lastAccepted !== null && present === rejected ? lastAccepted : present;
  };
  return {
    choose,
    hasOther: () => choose() !== lastRejected,
    report(password, error) {
      if (error === null) {
        lastAccepted = password;
        if (password === rejected) rejected = null;
      } else if (readErrorCode(error) === invalidPassword) {
        lastRejected = password;
        // Where the previous one is rejected too, the present one is tried again.
        rejected = password === readPresent() ? password : null;
      }
    },
  };
}

/**
 * Connects again while the server rejects a password and there is another one to try. `connect` reports the outcome. A pool calls this for each
 * statement, mostly for a connection that exists, so that nothing is read before a failure.
 */
export async function retryWithOtherPassword<Value>(
  passwords: Passwords,
  connect: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (attempt === maxAttempts || readErrorCode(error) !== invalidPassword || !passwords.hasOther()) throw error;
    }
  }
}
