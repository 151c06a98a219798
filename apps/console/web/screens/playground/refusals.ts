import type { AskedOperation } from '../../asked.ts';
import type { usePages } from './pages.ts';
import type { Wanted } from './wanted.ts';

/** The server's words about a field of the form, for as long as the field says what they are about. */
export const refusalsIn =
  ({ asked, page }: ReturnType<typeof usePages>, operation: AskedOperation, wanted: Wanted) =>
  (name: string): string | null => {
    if (!page || asked?.operation !== operation) return null;
    const { details, code, message } = page.read;
    const isCursor =
      code === 'INVALID_CURSOR' && operation.parameters.some((one) => one.name === name && one.kind === 'cursor');
    const reason = details.find(({ parameter }) => parameter === name)?.reason ?? (isCursor ? message : null);
    return textOf(asked.wanted, name) === textOf(wanted, name) ? reason : null;
  };

const textOf = ({ id, parameters }: Wanted, name: string): string =>
  (name === 'id' ? id : (parameters[name] ?? '')).trim();
