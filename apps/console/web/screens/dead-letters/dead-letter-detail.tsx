import { useMutation } from '@tanstack/react-query';
import { type DeadLetter, readDeadLetter } from '../../../api/dead-letters.ts';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { call } from '../../client/api-client.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { DetailPanel } from '../../parts/detail-panel.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { CommandLine } from './command-line.tsx';
import { RawMessage } from './raw-message.tsx';
import { reasonHelp, reasonLabel } from './reason-labels.ts';

interface Props {
  readonly id: string;
  /** Null: the list goes without it, and it shows when it is opened. */
  readonly listed: DeadLetter | null;
  readonly close: () => void;
}

/** One dead letter. The message is loaded on request, since viewing it is audited. */
export function DeadLetterPanel({ id, listed, close }: Props) {
  const { labels } = useLanguage();
  const { deadLetters: strings } = labels;
  const opening = useMutation({ mutationFn: () => call(readDeadLetter, { id }), gcTime: 0 });
  const deadLetter = listed ?? opening.data ?? null;
  return (
    <DetailPanel label={strings.detailTitle} close={close}>
      <h2>{deadLetter ? reasonLabel(labels, deadLetter.reason) : strings.detailTitle}</h2>
      {deadLetter && <DeadLetterFacts of={deadLetter} />}
      {!opening.data && (
        <div className="stack-tight">
          <div>
            <button type="button" disabled={opening.isPending} onClick={() => opening.mutate()}>
              {strings.showMessage}
            </button>
          </div>
          <p className="hint">{strings.viewAudited}</p>
        </div>
      )}
      {opening.error && <ErrorMessage error={opening.error} again={() => opening.mutate()} />}
      {opening.data && <RawMessage deadLetter={opening.data} />}
      <CommandLine command="show" ids={[id]} />
    </DetailPanel>
  );
}

function DeadLetterFacts({ of: deadLetter }: { of: DeadLetter }) {
  const { labels, language } = useLanguage();
  const { deadLetters: strings } = labels;
  const { tenants } = useCurrentUser();
  const tenant = tenants.find(({ id }) => id === deadLetter.tenantId)?.name ?? deadLetter.tenantId ?? '–';
  return (
    <>
      <p>{reasonHelp(labels, deadLetter.reason)}</p>
      <dl className="facts">
        <dt>{strings.reason}</dt>
        <dd>
          <code>{deadLetter.reason}</code>
        </dd>
        <dt>{strings.detail}</dt>
        <dd>{escapeInvisible(deadLetter.detail)}</dd>
        <dt>{strings.topic}</dt>
        <dd>
          <code>{deadLetter.topic}</code>
        </dd>
        <dt>{strings.position}</dt>
        <dd>{strings.place(deadLetter.partition, number(language, deadLetter.offset), deadLetter.element)}</dd>
        <dt>{strings.tenant}</dt>
        <dd>{tenant}</dd>
        <dt>{strings.state}</dt>
        <dd>
          {strings.states[deadLetter.state]}
          {deadLetter.state !== 'pending' && (
            <>
              {' '}
              · <Timestamp at={deadLetter.changedAt} />
            </>
          )}
        </dd>
        <dt>{strings.deadLetteredAt}</dt>
        <dd>
          <Timestamp at={deadLetter.deadLetteredAt} />
        </dd>
        <dt>{strings.replaysLeft}</dt>
        <dd>{strings.replaysLeftOf(deadLetter.replaysLeft, deadLetter.replaysLeft + deadLetter.replays)}</dd>
      </dl>
    </>
  );
}
