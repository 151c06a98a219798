-- schemas: models
--
-- Two tallies of 32 days, of interactions by actor and program and of changes of agents: readiness for assistants read 390,000 interactions of 30 days, and
-- rules over agents 50,000 changes of 91 days, of a tenant with 7.5 million rows of the log. See docs/adr/0016-tallies-of-the-log.md.

do $$
begin
  if exists (select from models.ingest_lane) then
    perform models.begin_log_tally_backfill('assistant');
    perform models.begin_log_tally_backfill('lifecycle');
    update models.log_tally_backfill set next_at = greatest(next_at, now() - case tally when 'assistant' then interval '33 days' else interval '94 days' end)
     where tally in ('assistant', 'lifecycle');
  end if;
end $$;
