import type pg from 'pg';
import { at, type Metrics, type MetricsOf, readFigures } from './figures.ts';

/** Paid licences, and those that accounts hold which nobody may use. */
export function readLicenseMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsOf): Promise<Metrics> {
  return readFigures(client, assignments, [tenantId, at(nowMs), freePartNumbers]);
}

/** Part numbers that cost nothing, as patterns of lower case. A product of which nothing is known is taken for a paid one. */
const freePartNumbers = [
  '%\\_free%',
  '%viral%',
  '%trial%',
  'power\\_bi\\_standard',
  'teams\\_exploratory',
  'windows\\_store',
  'rightsmanagement\\_adhoc',
  'microsoft\\_business\\_center',
  'sharepoint\\_storage',
  'stream',
  'forms\\_pro',
];

// Disabled since nobody knows when is disabled too long. Where no account tells what it holds, that is not the same as holding nothing.
const assignments = `
  with free as (
    select lower(name) as name from models.entity_fact e
     cross join lateral unnest(array[e.facts ->> 'skuId', e.facts ->> 'skuPartNumber']) name
     where e.tenant_id = $1 and e.kind = 'license' and lower(e.facts ->> 'skuPartNumber') like any ($3::text[])
  ), account as (
    select coalesce(f."accountEnabled" = false and coalesce(f."disabledAt" < $2::timestamptz - interval '30 days', true), false) as is_idle,
           f."licenseSkus" is not null as is_told,
           (select count(*) from jsonb_array_elements_text(f."licenseSkus") sku
             where lower(sku) not like all ($3::text[]) and lower(sku) not in (select name from free where name is not null)) as paid
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f ("accountEnabled" boolean, "disabledAt" timestamptz, "licenseSkus" jsonb)
     where e.tenant_id = $1 and e.kind = 'user' and not e.is_deleted
  )
  select case when bool_or(is_told) is not false then coalesce(sum(paid), 0) end as "lic.disabled_users/assigned",
         coalesce(sum(paid) filter (where is_idle), 0) as "lic.disabled_users/onDisabled"
    from account`;
