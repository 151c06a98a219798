import type pg from 'pg';

/** The users of the facts as rows that actors are looked up in, with the ids of records of Microsoft Entra as further names. */
export async function insertUsers(client: pg.Client, { tenantId, users }: { tenantId: string; users: number }) {
  await client.query(
    `insert into models.entity_user (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
     select $1, 'user' || n, 1, '', now(), now(), false, '{}', '{}' from generate_series(1, $2) n`,
    [tenantId, users],
  );
  await client.query(
    `insert into models.entity_alias (tenant_id, kind, alias, id)
     select $1, 'user', alias, 'user' || n
       from generate_series(1, $2) n,
            unnest(array['00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'), '1003200' || lpad(to_hex(n), 9, '0')]) alias
     on conflict do nothing`,
    [tenantId, users],
  );
}

/** Three attestations, so that documents have some. */
export async function insertAttestations(client: pg.Client, tenantId: string): Promise<void> {
  await client.query(
    `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, requirement_key, document)
     select $1, 'attestation/a' || n, 1, '', now(), now() - interval '20 days', 'attestation', 'a' || n, key,
            jsonb_build_object('payload', jsonb_build_object('requirementKey', key, 'attestedBy', 'officer@contoso.example', 'attestedAt', now() - interval '20 days',
              'expiresAt', now() + interval '300 days', 'note', 'Reviewed'))::text
       from unnest(array['incident-process', 'ai-literacy', 'supplier-review']) with ordinality as attested (key, n)`,
    [tenantId],
  );
}
