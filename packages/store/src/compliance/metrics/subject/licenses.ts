import { daysAgo } from '../clause/days-ago.ts';
import { toIsoTime } from '../figures.ts';
import type { Relation } from '../relation.ts';

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

/**
 * Paid licences, and those assigned to accounts that cannot sign in. Graph and Google report no time of disabling: an account that became disabled after
 * it was first stored is disabled since then. Parts of an account may arrive apart, so that its first day does not show this. Otherwise the time is unknown
 * and counts as too long ago. If no account reports its licences, the metric is null, not zero.
 */
export const licenseAssignments: Relation = {
  with: `
  with free as (
    select lower(name) as name from models.entity_fact e
     cross join lateral unnest(array[e.facts ->> 'skuId', e.facts ->> 'skuPartNumber']) name
     where e.tenant_id = $1 and e.kind = 'license' and lower(e.facts ->> 'skuPartNumber') like any ($3::text[])
  ), paid as materialized (
    -- Many accounts have the same list.
    select license_skus, (select count(*) from jsonb_array_elements_text(license_skus) sku
                           where lower(sku) not like all ($3::text[]) and lower(sku) not in (select name from free where name is not null)) as paid
      from (select distinct license_skus from models.user_fact where tenant_id = $1 and not is_deleted and license_skus is not null) list
  ), account as (
    select f.id, since.disabled_at, f.license_skus, coalesce(not f.is_enabled and coalesce(since.disabled_at < ${daysAgo(30)}, true), false) as is_idle,
           f.license_skus is not null as has_sku_list, p.paid
      from models.user_fact f left join paid p on p.license_skus = f.license_skus
     cross join lateral (select coalesce(f.out_since, f.updated_at) as out_at) seen
     cross join lateral (
            select case when f.disabled_at is not null then f.disabled_at
                        when not f.is_enabled
                         and seen.out_at > (select u.first_seen_at + interval '1 day' from models.entity_user u where u.tenant_id = $1 and u.id = f.id)
                        then seen.out_at end as disabled_at) since
     where f.tenant_id = $1 and not f.is_deleted
  )`,
  from: 'account a',
  subject: { type: 'user', id: 'a.id' },
  values: (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), freePartNumbers],
  rules: {
    'lic.disabled_users': {
      population: ['assigned', 'true'],
      units: 'case when has_sku_list then paid else 1 end',
      reported: 'has_sku_list',
      bad: ['onDisabled', 'is_idle'],
      reason: 'assigned_to_disabled_account',
      since: 'disabled_at',
      detail: { licenseSkus: 'license_skus' },
    },
  },
};
