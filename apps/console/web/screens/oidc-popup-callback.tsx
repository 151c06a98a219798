import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { listSignInMethods } from '../../api/sign-in.ts';
import { call } from '../client/api-client.ts';
import { broadcast } from '../client/session.ts';
import { useLabels } from '../labels/language.tsx';
import { PublicLayout } from '../parts/public-layout.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';

/** The end of an OIDC sign-in in a popup: notifies the page that opened it, and closes the window. */
export function OidcPopupCallback() {
  const { signIn, screens } = useLabels();
  const ways = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
    // The reason of a refused sign-in is returned only once.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isDone = ways.data !== undefined && ways.data.error === undefined;
  useEffect(() => {
    if (!isDone) return;
    broadcast('signed in');
    window.close();
  }, [isDone]);
  return (
    <PublicLayout title={screens.signIn}>
      <QueryResult query={ways}>
        {({ error }) =>
          error ? (
            <>
              <p className="note note-bad" role="alert" lang="en">
                {error.message}
              </p>
              <p>{signIn.popupFailed}</p>
            </>
          ) : (
            <p>{signIn.popupDone}</p>
          )
        }
      </QueryResult>
    </PublicLayout>
  );
}
