import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ask } from '../ask.ts';
import type { WaysIn } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { Door } from '../parts/door.tsx';
import { tell } from '../session.ts';
import { useWords } from '../words/words.tsx';

/** Where a round at the identity provider ends that was begun beside a screen: it tells the screen, and its window goes. */
export function CameBack() {
  const { signIn, screens } = useWords();
  const ways = useQuery({
    queryKey: ['ways-in'],
    queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal),
    // Why a round was refused is told once.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isDone = ways.data !== undefined && ways.data.refused === undefined;
  useEffect(() => {
    if (!isDone) return;
    tell('signed in');
    window.close();
  }, [isDone]);
  return (
    <Door title={screens.signIn}>
      <Asked query={ways}>
        {({ refused }) =>
          refused ? (
            <>
              <p className="note note-bad" role="alert">
                {refused.message}
              </p>
              <p>{signIn.backToScreen}</p>
            </>
          ) : (
            <p>{signIn.cameBack}</p>
          )
        }
      </Asked>
    </Door>
  );
}
