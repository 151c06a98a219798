import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import type { CurrentSession } from '../../../api/current-session.ts';
import { listSignInMethods, type SignInMethods } from '../../../api/sign-in.ts';
import { call } from '../../client/api-client.ts';
import { supportsPasskeys } from '../../client/passkey.ts';
import { useLabels } from '../../labels/language.tsx';
import { QueryResult } from '../query/query-result.tsx';
import { CredentialError } from './credential-error.tsx';
import { DemoMethod, LocalMethod, OidcMethod, PasskeyMethod, type SignInMethodProps } from './sign-in-methods.tsx';

type Source = CurrentSession['member']['source'];

interface Props {
  readonly done: () => void;
  /** Where single sign-on returns to; null: it opens a popup, since the page has to stay. */
  readonly to: string | null;
  /** The source of the account that the page belongs to; null: any. */
  readonly source?: Source | null;
  /** Below the sign-in methods, once they are loaded. */
  readonly children?: ReactNode;
}

/** Every sign-in method that the server offers, the shortest first; where the page belongs to an account, its own. */
export function SignInForm({ done, to, source = null, children }: Props) {
  const { signIn } = useLabels();
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
    // Why a sign-in was refused is reported once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<unknown>) => {
    setError(null);
    setBusy(true);
    try {
      await work();
      done();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <QueryResult query={methods}>
      {(offered) => {
        const shown = listMethods(offered, { source, to, done });
        return (
          <div className="panel sign-in-methods" ref={to === null ? focusFirst : undefined}>
            {offered.error && (
              <p className="note note-bad" role="alert" lang="en">
                {offered.error.message}
              </p>
            )}
            {shown.map(({ name, render }, index) => (
              <Fragment key={name}>
                {index > 0 && <span className="or">{signIn.or}</span>}
                {render({ isFirst: index === 0, isBusy, attempt })}
              </Fragment>
            ))}
            {shown.length === 0 && <p>{signIn.noMethods}</p>}
            {error !== null && <CredentialError error={error} />}
            {children}
          </div>
        );
      }}
    </QueryResult>
  );
}

interface Method {
  readonly name: string;
  readonly source: Source;
  readonly isOffered: boolean;
  readonly render: (props: SignInMethodProps) => ReactNode;
}

function listMethods(
  { oidc, local, passkey, demo }: SignInMethods,
  { source, to, done }: { source: Source | null; to: string | null; done: () => void },
): readonly Method[] {
  const isOwn = (of: Source) => source === null || source === of;
  const hasOneClick = (demo && isOwn('demo')) || (oidc !== null && isOwn('oidc'));
  const methods: readonly Method[] = [
    { name: 'demo', source: 'demo', isOffered: demo, render: (props) => <DemoMethod {...props} /> },
    {
      name: 'oidc',
      source: 'oidc',
      isOffered: oidc !== null,
      render: (props) => oidc && <OidcMethod {...props} provider={oidc.name} to={to} done={done} />,
    },
    {
      name: 'passkey',
      source: 'local',
      isOffered: local && passkey && supportsPasskeys,
      render: (props) => <PasskeyMethod {...props} />,
    },
    {
      name: 'local',
      source: 'local',
      isOffered: local,
      render: (props) => <LocalMethod {...props} isCollapsed={hasOneClick} />,
    },
  ];
  return methods.filter((method) => method.isOffered && isOwn(method.source));
}

/** Over a screen the first method has the focus, so that no other control receives what the user was typing. */
function focusFirst(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>('a, button, input')?.focus();
}
