const textMax = 200;
/** Longer ones are not parsed: of small values, a text of 32 MiB becomes objects of more than a gigabyte. */
export const errorMaxBytes = 65_536;

/** The text of an error of Okta, Microsoft or Google in a response's body, printable and short; null where there is none. */
export function readErrorText(body: Buffer): string | null {
  const { errorSummary, error_description: description, error } = parseShortBody(body);
  const found = [errorSummary, description, toObject(error).message, error].find((text) => typeof text === 'string');
  return found === undefined ? null : toPrintable(found as string);
}

/** The code of an error of Microsoft in a response's body; null where there is none. */
export function readErrorCode(body: Buffer): string | null {
  const { code } = toObject(parseShortBody(body).error);
  return typeof code === 'string' ? code : null;
}

/** The JSON object of an error or a token; empty where there is none. */
export function parseShortBody(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return body.length > errorMaxBytes ? {} : toObject(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

export function toPrintable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, textMax);
}

export function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
