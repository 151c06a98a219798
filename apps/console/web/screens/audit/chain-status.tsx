import { useQuery } from '@tanstack/react-query';
import { type AuditPage, verifyAudit } from '../../../api/audit.ts';
import { call } from '../../client/api-client.ts';
import { useAction } from '../../frame/keyboard/actions.ts';
import { clock, number, utc } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { Status } from '../../parts/status.tsx';

const verifyTimeoutMs = 120_000;
const digestShown = 12;

/** The hash chain: its length, and the result of the last verification. */
export function ChainStatus({ head, show }: { head: NonNullable<AuditPage['head']>; show: (number: number) => void }) {
  const { labels, language } = useLanguage();
  const { audit } = labels;
  const verified = useQuery({
    queryKey: ['audit verified'],
    queryFn: ({ signal }) => call(verifyAudit, {}, { signal, timeoutMs: verifyTimeoutMs }),
    enabled: false,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: verdict, error, isFetching, refetch } = verified;
  useAction('verify', () => void refetch());
  const line = () => {
    if (!verdict)
      return <Status level="unknown">{audit.chainSize(head.number, head.at === null ? '–' : utc(head.at))}</Status>;
    const at = clock(verdict.verifiedAt).slice(0, 8);
    if (verdict.brokenAt === null)
      return <Status level="good">{audit.verified(number(language, verdict.through), at)}</Status>;
    return (
      <Status level="bad">
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
      {verdict?.brokenAt != null && verdict.fault !== 'missing' && verdict.fault !== 'truncated' && (
        <button type="button" className="plain" onClick={() => show(verdict.brokenAt ?? 0)}>
          {audit.showEvent(number(language, verdict.brokenAt))}
        </button>
      )}
      <button type="button" disabled={isFetching} onClick={() => void refetch()}>
        {isFetching ? audit.verifying : verdict ? audit.verifyAgain : audit.verify}
      </button>
      {error && <ErrorMessage error={error} />}
    </section>
  );
}
