/** A command cannot do what it was asked; the message says why and what to do. Status 2: it was asked wrongly. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: 1 | 2;

  constructor(message: string, status: 1 | 2 = 1) {
    super(message);
    this.status = status;
  }
}

/** The command line itself is wrong: exit status 2. */
export function misused(message: string): Refusal {
  return new Refusal(message, 2);
}

/** One line for a person: never a stack trace, a key, or the password of a URL. */
export function explain(error: unknown): { message: string; status: 1 | 2 } {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const said = wordsByName[name] ?? ((text: string) => `this went wrong inside: ${name}: ${text}`);
  return { message: redact(said(message)), status: error instanceof Refusal ? error.status : 1 };
}

// By name, not by class: the classes live in packages that a command loads only if it needs them.
const wordsByName: Record<string, (message: string) => string> = {
  Refusal: (message) => message,
  DirectoryError: (message) => message,
  ConfigError: (message) => `${message} «npm start» sets them for its checkout.`,
  KafkaSilent: (message) => `${message}. TENANTSCOPE_KAFKA_BROKERS names it.`,
};

/** Here as well as in the log's: loading a logger to print one line would slow every command down. */
export function redact(text: string): string {
  return text
    .replace(/tscope_live_[0-9A-Za-z]*/g, 'tscope_live_…')
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, '$1…@')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
