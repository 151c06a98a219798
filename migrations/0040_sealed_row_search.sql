-- schemas: models

-- As before. With coalesce outside of the subquery the condition of row-level security would precede that on first_at, and all blocks of the tenant
-- before the time would be read.
create or replace function models.sealed_log_rows(of_tenant uuid, from_at timestamptz, to_at timestamptz)
  returns table (
    tenant_id uuid, discovered_at timestamptz, id uuid, occurred_at timestamptz, severity text, action text, actor_id text, actor_type text,
    actor_ip text, resource_id text, resource_type text, workload text, source_type text, client_app text, device_id text,
    is_managed_device boolean, application_id text, external_event_id text, outcome text, error_code text, session_id text,
    correlation_id text, actor_user_id text, target_ids text[], description text, application_client_id text)
  language sql stable rows 150
begin atomic
  select s.tenant_id, r.discovered_at, r.id, r.occurred_at, r.severity, r.action, r.actor_id, r.actor_type, r.actor_ip, r.resource_id,
         r.resource_type, r.workload, r.source_type, r.client_app, r.device_id, r.is_managed_device, r.application_id, r.external_event_id,
         r.outcome, r.error_code, r.session_id, r.correlation_id, r.actor_user_id, r.target_texts::text[], r.description, r.application_client_id
    from models.log_sealed s
   cross join lateral unnest(s.discovered_at, s.id, s.occurred_at, s.severity, s.action, s.actor_id, s.actor_type, s.actor_ip, s.resource_id,
                             s.resource_type, s.workload, s.source_type, s.client_app, s.device_id, s.is_managed_device, s.application_id,
                             s.external_event_id, s.outcome, s.error_code, s.session_id, s.correlation_id, s.actor_user_id, s.target_ids,
                             s.description, s.application_client_id)
           r (discovered_at, id, occurred_at, severity, action, actor_id, actor_type, actor_ip, resource_id, resource_type, workload, source_type,
              client_app, device_id, is_managed_device, application_id, external_event_id, outcome, error_code, session_id, correlation_id,
              actor_user_id, target_texts, description, application_client_id)
   -- The newest block that begins before the time may reach into it.
   where s.tenant_id = $1 and s.first_at <= $3 and s.last_at >= $2
     and s.first_at >= (select coalesce(max(b.first_at), '-infinity') from models.log_block b where b.tenant_id = $1 and b.first_at < $2)
     and r.discovered_at between $2 and $3;
end;
