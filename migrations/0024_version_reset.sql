-- schemas: models
--
-- Repair of records that a version more than a day ahead of the clock had frozen. Such versions are dead letters now; this is for rows that were
-- written before, or by a worker whose clock was wrong.

-- Sets the version of a record, or of the frozen parts of an entity, back: by default to the time at which that state was stored, so that later
-- states apply. The document keeps its version until the next state replaces it. Parts that providers report have milliseconds as versions.
-- The id of an entity is its kind, a slash and its id.
create function models.reset_version(of_table text, tenant uuid, record_id text, to_version bigint)
  returns table (part text, is_removal boolean, version_before bigint, version_after bigint)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_us constant bigint := extract(epoch from clock_timestamp()) * 1000000;
  day_us constant bigint := 86400000000;
  unit   bigint;
  stored record;
begin
  if :audit.current_actor() not like 'cli:%' then
    raise insufficient_privilege using message = 'versions are reset by an operator at the command line only';
  end if;
  if of_table not in ('detection', 'policy_scan', 'notification', 'action', 'security_alert', 'agent_evidence', 'compliance_record', 'entity_part') then
    raise invalid_parameter_value using message = 'unknown table: ' || of_table;
  end if;
  for stored in execute
    case when of_table = 'entity_part' then
      'select p.ctid as place, p.part, p.is_removal, p.version, p.digest, p.changed_at as stored_at from models.entity_part p
        where p.tenant_id = $1 and p.kind = split_part($2, ''/'', 1) and p.id = substr($2, strpos($2, ''/'') + 1)
          and p.version > case when p.part in (''domain'', ''accountable'') then $3 else $3 / 1000 end
        order by p.part, p.version desc, p.digest desc for update'
    else
      format('select r.ctid as place, null::text as part, false as is_removal, r.version, r.digest, r.updated_at as stored_at from models.%I r
               where r.tenant_id = $1 and r.id = $2 and r.version > $3 for update', of_table)
    end using tenant, record_id, now_us + day_us
  loop
    -- Of a state and its removal the greater stays the greater.
    version_after := case when stored.part = part then version_after - 1 end;
    part := stored.part;
    is_removal := stored.is_removal;
    version_before := stored.version;
    unit := case when part is null or part in ('domain', 'accountable') then 1 else 1000 end;
    version_after := coalesce(version_after, to_version, least(now_us, (extract(epoch from stored.stored_at) * 1000000)::bigint) / unit);
    if version_after not between 1 and now_us / unit then
      raise invalid_parameter_value using message = 'a version is reset to 1 at least and to the clock at most';
    end if;
    execute format('update models.%I set version = $1, digest = '''' where ctid = $2', of_table) using version_after, stored.place;
    if of_table = 'security_alert' then
      update models.security_alert_part p set version = version_after, digest = ''
       where p.tenant_id = tenant and p.id = record_id and p.part = 'alert';
    end if;
    if of_table <> 'compliance_record' then -- which has a trigger
      perform :audit.append_admin_event(
        :audit.find_event_chain(of_table, jsonb_build_object('tenant_id', tenant)), 'changed', of_table, record_id,
        jsonb_strip_nulls(jsonb_build_object('tenant_id', tenant, 'part', part, 'version', version_before)),
        jsonb_strip_nulls(jsonb_build_object('tenant_id', tenant, 'part', part, 'version', version_after)));
    end if;
    return next;
  end loop;
  if version_before is null then
    raise no_data_found using message = format('%s of %s has no version more than a day ahead of the clock', record_id, of_table);
  end if;
end $$;
revoke execute on function models.reset_version from public;
grant execute on function models.reset_version to tenantscope_admin;
