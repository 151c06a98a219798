-- schemas: models
--
-- What sections of the evidence pack look for among many rows.

-- whether a record was deleted: few are, and each reading of a section asks it of every record
create index agent_evidence_deletion on models.agent_evidence (tenant_id, id) where is_deletion;
-- interactions with AI in which something was flagged: few of many
create index log_fact_threat on models.log_fact (tenant_id, occurred_at, log_id)
  where kind = 'aiInteraction' and jsonb_path_exists(facts, '$.threats[0]');
