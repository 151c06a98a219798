/** An expected failure of a command; the message has the cause and the remedy. Exit status 2 is a usage error. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly status: 1 | 2;

  constructor(message: string, status: 1 | 2 = 1) {
    super(message);
    this.status = status;
  }
}

/** An error in the command line: exit status 2. */
export function usageError(message: string): CommandError {
  return new CommandError(message, 2);
}

/** Formats an error as one line, without a stack trace, keys or passwords of URLs. */
export function describeError(error: unknown): { message: string; status: 1 | 2 } {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const format = messagesByName[name] ?? ((text: string) => `internal error: ${name}: ${text}`);
  return { message: redact(format(message)), status: error instanceof CommandError ? error.status : 1 };
}

// By name, not by class: the classes are in packages that a command loads only when needed.
const messagesByName: Record<string, (message: string) => string> = {
  CommandError: (message) => message,
  DirectoryError: (message) => message,
  ConfigError: (message) => `${message} In a checkout, "npm start" sets them.`,
};

/** Duplicates the log's redaction: loading a logger for one line would slow down every command. */
export function redact(text: string): string {
  return text
    .replace(/tscope_live_[0-9A-Za-z]*/g, 'tscope_live_…')
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, '$1…@')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
}
