import { type Logger, pino } from 'pino';

export type Log = Logger;

const secretPattern = /tscope_live_[0-9A-Za-z]{8,}/g;
const passwordInUrl = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@]*@/gi;

/** Replaces API keys and passwords in connection URLs. */
export function redactSecrets(text: string): string {
  return text.replace(secretPattern, 'tscope_live_[redacted]').replace(passwordInUrl, '$1:[redacted]@');
}

/**
 * Creates a JSON-lines log on standard output. Headers with keys are redacted by path; key-shaped values and passwords in URLs
 * are redacted anywhere in the line, so that no overlooked path can leak one.
 */
export function createLog(options: { name: string; level?: string }): Log {
  return pino(
    {
      name: options.name,
      level: options.level ?? 'info',
      redact: {
        paths: [
          '*.authorization',
          '*["x-api-key"]',
          '*.cookie',
          '*.password',
          '*.secret',
          'authorization',
          'secret',
          'password',
          // A refused command of Redis is part of the error, with its arguments: those of AUTH are a login.
          '*.command.args',
        ],
        censor: '[redacted]',
      },
    },
    { write: (line: string) => void process.stdout.write(redactSecrets(line)) },
  );
}
