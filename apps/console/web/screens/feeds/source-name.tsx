import type { Source } from '../../asked.ts';
import { useMe } from '../../frame/signed.ts';
import { Status } from '../../parts/status.tsx';
import type { Words } from '../../words/en.ts';
import { useWords, utc } from '../../words/words.tsx';

/** A source in words; of one that these words do not know, the name it goes by. */
function sourceWords({ feeds }: Words, source: string): string {
  const known = feeds.sourceNames as Readonly<Record<string, string>>;
  const part = source.startsWith('logs/') ? feeds.logsOf(source.slice('logs/'.length)) : source;
  return known[source] ?? part;
}

export function SourceName({ of: { source, tenantId }, hasTenant = false }: { of: Source; hasTenant?: boolean }) {
  const words = useWords();
  const { tenants } = useMe();
  const tenant = tenants.find(({ id }) => id === tenantId)?.name ?? tenantId;
  return (
    <span className="named">
      <span>
        {hasTenant && tenants.length > 1 && `${tenant}: `}
        {sourceWords(words, source)}
      </span>
      <code className="small muted">{source}</code>
    </span>
  );
}

/** A source that is silent says so in words; one that is quiet is not late. */
export function SourceState({ of: { state, heardAt } }: { of: Source }) {
  const { feeds: said } = useWords();
  if (state === 'silent') return <Status standing="bad">{said.silentSince(utc(heardAt))}</Status>;
  if (state === 'quiet') return <Status standing="unknown">{said.quietSince(utc(heardAt))}</Status>;
  return <Status standing="good">{said.heard}</Status>;
}
