import type { ListedOperation } from '../../../../api/playground.ts';
import type { usePages } from '../response/use-pages.ts';
import type { FormState } from './form-state.ts';

/** The server's error of a form field, while the field still has the rejected value. */
export const createFieldErrors =
  ({ sentRequest, page }: ReturnType<typeof usePages>, operation: ListedOperation, formState: FormState) =>
  (name: string): string | null => {
    if (!page || sentRequest?.operation !== operation) return null;
    const { details, code, message } = page.parsed;
    const isCursor =
      code === 'INVALID_CURSOR' && operation.parameters.some((one) => one.name === name && one.kind === 'cursor');
    const reason = details.find(({ parameter }) => parameter === name)?.reason ?? (isCursor ? message : null);
    return fieldText(sentRequest.formState, name) === fieldText(formState, name) ? reason : null;
  };

const fieldText = ({ id, parameters }: FormState, name: string): string =>
  (name === 'id' ? id : (parameters[name] ?? '')).trim();
