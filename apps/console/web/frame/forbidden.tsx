import { useQuery } from '@tanstack/react-query';
import { ask } from '../ask.ts';
import type { Role } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { useWords } from '../words/words.tsx';
import { Head } from './head.tsx';
import type { Screen } from './screens.ts';

interface Openers {
  readonly openers: readonly { readonly name: string; readonly role: Role }[];
}

/** A screen of others: which role opens it, and whom to ask. */
export function Forbidden({ screen }: { screen: Screen }) {
  const { states, frame, screens, roles } = useWords();
  const listed = useQuery({
    queryKey: ['openers'],
    queryFn: ({ signal }) => ask<Openers>('/openers', signal),
    staleTime: 60_000,
  });
  const named = (role: Role, openers: Openers['openers']) => [
    ...new Set(openers.filter((one) => one.role === role).map(({ name }) => name)),
  ];
  return (
    <>
      <Head title={screens[screen.name]} />
      <p className="sentence">{states.forbidden}.</p>
      <Asked query={listed}>
        {({ openers }) => (
          <dl className="facts openers">
            {screen.roles.map((role) => (
              <div key={role} className="fact">
                <dt>{roles[role]}</dt>
                <dd>{named(role, openers).join(', ') || frame.nobody}</dd>
              </div>
            ))}
          </dl>
        )}
      </Asked>
    </>
  );
}
