const textMax = 200;

/** The text of an error of Okta, Microsoft or Google in a response's body, printable and short; null where there is none. */
export function readErrorText(body: Buffer): string | null {
  if (body.length > 65_536) return null;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  const { errorSummary, error_description: description, error } = toObject(value);
  const found = [errorSummary, description, toObject(error).message, error].find((text) => typeof text === 'string');
  return found === undefined ? null : toPrintable(found as string);
}

export function toPrintable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, textMax);
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
