import type { KeyName } from '../../../../api/keys.ts';
import type { ListedOperation } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';
import type { FormState } from '../request/form-state.ts';
import type { ResponsePage } from './response-page.ts';

interface Props {
  readonly page: ResponsePage;
  readonly sentRequest: FormState;
  readonly operation: ListedOperation;
  readonly keys: readonly KeyName[];
  readonly run: (formState: FormState & { readonly added?: string }) => void;
}

/** Offers a retry where the key was revoked, where a scope is missing, or where the response is too large to be shown. */
export function SuggestedRetries({ page, sentRequest, operation, keys, run }: Props) {
  const { playground } = useLabels();
  const { scope } = operation;
  const key = keys.find(({ id }) => id === sentRequest.scopesOf);
  const isRefused = page.parsed.code === 'INSUFFICIENT_SCOPE' && sentRequest.scopesOf !== 'me';
  const sections = operation.parameters.find(({ name, kind }) => name === 'sections' && kind === 'choices')?.allowed;
  return (
    <>
      {page.meta.status === 401 && (
        <div className="row" role="status">
          <span>{playground.keyRevoked}</span>
          <button type="button" onClick={() => run(sentRequest)}>
            {playground.withNewKey}
          </button>
        </div>
      )}
      {isRefused && (
        <div className="row">
          {scope && !key?.scopes.includes(scope) && (
            <button type="button" onClick={() => run({ ...sentRequest, added: scope })}>
              {playground.addScope(scope)}
            </button>
          )}
          <button type="button" onClick={() => run({ ...sentRequest, scopesOf: 'me' })}>
            {playground.withMyScopes}
          </button>
        </div>
      )}
      {page.document === null && sections && (
        <fieldset className="chips">
          <legend>{playground.oneSection}</legend>
          {sections.map((section) => (
            <button
              key={section}
              type="button"
              onClick={() => run({ ...sentRequest, parameters: { ...sentRequest.parameters, sections: section } })}
            >
              {section}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
