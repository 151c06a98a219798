import { decisionOrder } from '../metrics/clause/names.ts';
import { type AccountablePerson, accountable, accountableAccounts, accountableColumns } from './accountable.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';
import { decisionsOn } from './store-shelf.ts';

export interface ThirdPartyApp extends AccountablePerson {
  appId: string;
  appName: string;
  facts: Readonly<Record<string, unknown>>;
  decision: Readonly<Record<string, unknown>> | null;
  stampMs: number;
}

/** Apps that existed at some time in the window, as `living_app`. */
export function appsOfWindow(reading: EvidenceQuery): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return `living_app as materialized (
    select e.id, coalesce(e.facts->>'displayName', e.facts->>'appId', e.id) as name, e.facts, e.updated_at
      from models.entity_fact e join models.entity_app a on a.tenant_id = e.tenant_id and a.id = e.id
     where e.tenant_id = ${tenant} and a.tenant_id = ${tenant} and e.kind = 'app'
       and least((e.facts->>'createdAt')::timestamptz, a.first_seen_at) <= ${to} and a.first_seen_at <= ${storedThrough}
       and (not e.is_deleted or coalesce((e.facts->>'deletedAt')::timestamptz, e.updated_at) >= ${from}))`;
}

/** How many permissions an app `a` holds, of all kinds; null where unknown. */
const permissionCount = `(select sum(n.of_kind) from (values ((a.facts->>'delegatedPermissionCount')::bigint), ((a.facts->>'applicationPermissionCount')::bigint),
  ((a.facts->>'resourceGrantCount')::bigint)) n(of_kind))`;

/** Apps that others than the provider and the organization itself published, and that were granted something. */
export function readThirdPartyApps(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<ThirdPartyApp>> {
  const { tenant } = bounds(reading);
  return readSectionRows<ThirdPartyApp>(
    reading,
    {
      parts: [appsOfWindow(reading), decisionsOn(reading, 'app'), accountableAccounts(reading, 'living_app')],
      rows: `select a.id as "appId", a.name as "appName" from living_app a
              where coalesce(a.facts->>'appType', 'unknown') not in ('firstParty', 'tenantOwned', 'managedIdentity')
                and (${permissionCount} > 0 or a.facts->'hasAdminConsent' = 'true' or (a.facts->>'userConsentCount')::bigint > 0)`,
      columns: [
        'g.facts',
        ...accountableColumns,
        'd.facts as decision',
        `${epochMilliseconds('greatest(g.updated_at, d.stamp, person.stamp)')} as "stampMs"`,
      ],
      joins: [
        'join living_app g on g.id = p."appId"',
        accountable('living_app'),
        `left join lateral (select c.facts, c.stamp from decided c
           where c.subject = lower(p."appId") or c.subject in (select n.alias from models.entity_alias n where n.tenant_id = ${tenant} and n.kind = 'app' and n.id = p."appId")
           order by ${decisionOrder('c')} limit 1) d on true`,
      ],
      order: [
        { column: 'appName', type: 'text' },
        { column: 'appId', type: 'text' },
      ],
    },
    page,
  );
}
