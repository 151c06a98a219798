import { boundTextSql, type LogTally } from '../row/log-tallies.ts';

/** Where rows of the log, called `l`, or their facts, called `f`, are read. */
export interface TallySource {
  readonly from: string;
  readonly where: string;
}

/**
 * SQL that counts rows again: `tenant_id, tally, at, subject, object, flags, events, first_at, last_at`.
 *
 * @param bound what is done with the texts of the key
 */
export function countAgain(tally: LogTally, { from, where }: TallySource, bound = boundTextSql): string {
  const { key, where: counted } = tally.sql;
  const [subject, object, flags] = key.map(bound) as [string, string, string];
  const of = sourceAlias(tally);
  const kind = of === 'f' ? ` and f.kind = '${tally.sql.from}'` : '';
  return `
    select tenant_id, '${tally.name}' as tally, at, subject, object, flags,
           count(*)::integer as events, min(clock) as first_at, max(clock) as last_at
      from (select ${of}.tenant_id, ${of}.${tally.clock}_at as clock, ${beginPeriodSql(tally)} as at,
                   ${subject} as subject, ${object} as object, ${flags} as flags
              from ${from} where (${where})${kind} and (${counted})) r
     group by tenant_id, at, subject, object, flags`;
}

export const sourceAlias = ({ sql }: LogTally): 'l' | 'f' => (sql.from === 'log' ? 'l' : 'f');

/** As `beginPeriod` of a row. */
function beginPeriodSql(tally: LogTally): string {
  const of = sourceAlias(tally);
  const period = `date_bin(interval '${tally.periodMs / 3_600_000} hours', ${of}.${tally.clock}_at, timestamptz '2000-01-01 00:00Z')`;
  if (tally.clock === 'discovered') return period;
  return `case when ${of}.occurred_at > ${of}.discovered_at then ${of}.occurred_at else ${period} end`;
}
