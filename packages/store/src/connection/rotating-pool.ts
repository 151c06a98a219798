import pg from 'pg';
import { type Passwords, retryWithOtherPassword } from './passwords.ts';

type ConnectCallback = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/** A pool whose new connections follow a rotated password. Its connection string contains none. */
export class RotatingPool extends pg.Pool {
  readonly #passwords: Passwords;

  constructor(options: pg.PoolConfig, passwords: Passwords) {
    super({ ...options, Client: createClientClass(passwords) });
    this.#passwords = passwords;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connected = retryWithOtherPassword(this.#passwords, () => super.connect());
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, () => client.release()),
      (error: Error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }
}

/** Each client has the password of its own attempt, since several of a pool connect at once. */
function createClientClass(passwords: Passwords) {
  return class extends pg.Client {
    readonly #chosen: string;

    constructor(options?: pg.ClientConfig) {
      const chosen = passwords.choose();
      super({ ...options, ...addPassword(options?.connectionString, chosen) });
      this.#chosen = chosen;
      // The pool listens a microtask after the connection is ready. A server that ends it in the same packet would end the process.
      this.on('error', () => {});
    }

    // The pool passes a callback.
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null) => void): void;
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connected = super.connect().then(
        () => this.#report(null),
        (error: Error) => {
          this.#report(error);
          throw error;
        },
      );
      if (callback === undefined) return connected.then(() => this);
      connected.then(
        () => callback(null),
        (error: Error) => callback(error),
      );
      return undefined;
    }

    #report(error: Error | null): void {
      passwords.report(this.#chosen, error);
    }
  };
}

/** What the connection string says outweighs the option `password`, even if it has none. */
function addPassword(connectionString: string | undefined, password: string): pg.ClientConfig {
  if (connectionString === undefined) return { password };
  const complete = new URL(connectionString);
  complete.password = encodeURIComponent(password);
  return { connectionString: complete.href };
}
