interface FileReadsQuery {
  /** A table of `name_digest, file`: the names of files, as `models.file_exposure` has them. It is read twice. */
  readonly files: string;
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  /** A further condition over the read `l`. */
  readonly where?: string;
}

/**
 * Reads of some files in a period as `file_read`, a row for each name by which a read names a file: an interaction may name one by its id and its address. The digests
 * are one value, so that the index is searched for them in its order and nothing else is read; they are sorted here, since the scan of each partition would do it again.
 */
export const fileReads = ({ files, tenant, from, to, where = 'true' }: FileReadsQuery): string => `file_read as (
    select l.log_id, c.file, l.discovered_at, l.occurred_at, l.is_interaction, l.is_external, l.actor_id, l.actor_type, l.application_id,
           l.agent_id, l.app_host
      from models.log_read l join ${files} c using (name_digest)
     where l.tenant_id = ${tenant} and l.name_digest = any ((select array_agg(name_digest order by name_digest) from ${files})::uuid[])
       and l.occurred_at between ${from} and ${to} and ${where}
  )`;
