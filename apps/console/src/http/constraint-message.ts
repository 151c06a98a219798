/** The message of a database rule of ours that refused the change; null: another error, or a permission that is missing by mistake. */
export function constraintMessage(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: string }).code === '42501')
      return /^(permission denied|must be owner)/.test(cause.message) ? null : cause.message;
  return null;
}
