import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addPasskey,
  listCredentials,
  type MemberCredential,
  offerPasskeyCreation,
  removeCredential,
} from '../../../api/credentials.ts';
import { listSignInMethods } from '../../../api/sign-in.ts';
import { call } from '../../client/api-client.ts';
import { createPasskey, supportsPasskeys } from '../../client/passkey.ts';
import { isSent } from '../../client/sent-change.ts';
import { useLabels } from '../../labels/language.tsx';
import { CredentialError } from '../../parts/auth/credential-error.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { AccountSecurity } from './account-security.tsx';

const queryKey = ['credentials'];

/** The sign-in methods of a local account. */
export function Credentials() {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const listed = useQuery({ queryKey, queryFn: ({ signal }) => call(listCredentials, {}, { signal }) });
  const methods = useQuery({
    queryKey: ['passkey-availability'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
  });
  const removing = useMutation({
    mutationFn: (id: string) => call(removeCredential, { id }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  return (
    <QueryResult query={listed}>
      {({ credentials }) => (
        <div className="stack">
          {credentials.length > 0 && (
            <CredentialTable
              credentials={credentials.filter(({ kind }) => kind !== 'recovery')}
              remove={(id) => isSent(removing, id) || removing.mutate(id)}
            />
          )}
          <p className="muted">{strings.codesLeft(credentials.filter(({ kind }) => kind === 'recovery').length)}</p>
          {removing.error && (
            <CredentialError
              error={removing.error}
              again={() => removing.variables !== undefined && removing.mutate(removing.variables)}
            />
          )}
          <AccountSecurity />
          {/* A credential that could not be removed before may be removed after another one is added. */}
          {methods.data?.passkey && supportsPasskeys && <AddPasskey onAdded={() => removing.reset()} />}
        </div>
      )}
    </QueryResult>
  );
}

interface CredentialTableProps {
  readonly credentials: readonly MemberCredential[];
  readonly remove: (id: string) => unknown;
}

function CredentialTable({ credentials, remove }: CredentialTableProps) {
  const { members: strings } = useLabels();
  const factors: Readonly<Record<string, string>> = strings.factors;
  return (
    <div className="scroll">
      <table className="cards tight">
        <caption>{strings.signInMethods}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.method}</th>
            <th scope="col">{strings.since}</th>
            <th scope="col">{strings.lastUsed}</th>
            <th scope="col">{strings.action}</th>
          </tr>
        </thead>
        <tbody>
          {credentials.map(({ id, kind, name, createdAt, usedAt }) => (
            <tr key={id}>
              <th scope="row">
                {factors[kind] ?? kind} <span className="muted">{name}</span>
              </th>
              <td data-name={strings.since}>
                <Timestamp at={createdAt} />
              </td>
              <td data-name={strings.lastUsed}>{usedAt === null ? '–' : <Timestamp at={usedAt} isShort />}</td>
              <td data-name={strings.action}>
                {kind === 'password' ? (
                  '–'
                ) : (
                  <button type="button" onClick={() => remove(id)}>
                    {strings.remove}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AddPasskey({ onAdded }: { onAdded: () => void }) {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const adding = useMutation({
    mutationFn: async () =>
      call(addPasskey, { name, response: await createPasskey(await call(offerPasskeyCreation, {})) }),
    onSuccess: () => {
      setName('');
      onAdded();
      return client.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <span>
          <input
            aria-label={strings.passkeyName}
            placeholder={strings.passkeyName}
            value={name}
            maxLength={100}
            onChange={(event) => setName(event.target.value)}
            required
          />
        </span>
        <button type="submit" disabled={adding.isPending}>
          {strings.addPasskey}
        </button>
      </form>
      {adding.error && <CredentialError error={adding.error} again={() => adding.mutate()} />}
    </>
  );
}
