-- schemas: models
-- transaction: none
--
-- Agents as interactions name them, for the inventory of evidence: their times are read from the index alone, and of each agent the last of its names. Before,
-- all interactions were read. A name may have 512 characters and an index entry 2,704 bytes, so that it has the first 128 of them. Nothing waits while the index is built.

create index concurrently log_fact_agent
  on models.log_fact (tenant_id, agent_id, (left(facts->>'agentName', 128)) collate "C" nulls first, occurred_at, discovered_at)
  where kind = 'aiInteraction' and agent_id is not null;
