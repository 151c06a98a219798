import { useQuery } from '@tanstack/react-query';
import { ask } from '../../ask.ts';
import type { Audit, AuditVerdict } from '../../asked.ts';
import { Failure } from '../../parts/failure.tsx';
import { Status } from '../../parts/status.tsx';
import { useAct } from '../../shell.tsx';
import { clock, number, useLanguage, utc } from '../../words/words.tsx';

const verifyTimeoutMs = 120_000;
const digestShown = 12;

/** Whether everything is as it was written: how long the chain is, and what came out when it was last computed anew. */
export function Chain({ head, show }: { head: NonNullable<Audit['head']>; show: (number: number) => void }) {
  const { words, language } = useLanguage();
  const { audit } = words;
  const verified = useQuery({
    queryKey: ['audit verified'],
    queryFn: ({ signal }) => ask<AuditVerdict>('/audit/verify', signal, verifyTimeoutMs),
    enabled: false,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: verdict, error, isFetching, refetch } = verified;
  useAct('verify', () => void refetch());
  const line = () => {
    if (!verdict)
      return (
        <Status standing="unknown">
          {audit.chainOf(number(language, head.number), head.at === null ? '–' : utc(head.at))}
        </Status>
      );
    const at = clock(verdict.verifiedAt).slice(0, 8);
    if (verdict.brokenAt === null)
      return <Status standing="good">{audit.verified(number(language, verdict.through), at)}</Status>;
    return (
      <Status standing="bad">
        {audit.broken(number(language, verdict.brokenAt), audit.faults[verdict.fault ?? 'altered'], at)}
      </Status>
    );
  };
  const sha256 = verdict ? verdict.sha256 : head.sha256;
  return (
    <section className="row row-wide chain" aria-label={audit.chain}>
      <span role="status">{line()}</span>
      {sha256 !== null && (
        <span className="small muted">
          {audit.digest} <code title={sha256}>{sha256.slice(0, digestShown)}…</code>
        </span>
      )}
      {verdict?.brokenAt != null && verdict.fault !== 'missing' && verdict.fault !== 'cut' && (
        <button type="button" className="plain" onClick={() => show(verdict.brokenAt ?? 0)}>
          {audit.showEvent(number(language, verdict.brokenAt))}
        </button>
      )}
      <button type="button" disabled={isFetching} onClick={() => void refetch()}>
        {isFetching ? audit.verifying : verdict ? audit.verifyAgain : audit.verify}
      </button>
      {error && <Failure error={error} />}
    </section>
  );
}
