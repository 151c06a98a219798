import { fileNameDigestSql } from '../../resource/file-name-digest.ts';

interface FileReadsQuery {
  /** A table expression of `name, file`: the names of files in lower case. */
  readonly files: string;
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  /** A further condition over the read `l`. */
  readonly where?: string;
}

/**
 * Reads of some files in a period as `file_read`, one row for each read and file: an interaction may name a file by its id and its address. The digests
 * are one value, so that the index is searched for them in its order and nothing else is read.
 */
export const fileReads = ({
  files,
  tenant,
  from,
  to,
  where = 'true',
}: FileReadsQuery): string => `named_file as materialized (
    select distinct ${fileNameDigestSql('name')} as name_digest, file from ${files}
  ), file_read as materialized (
    select distinct l.log_id, c.file, l.discovered_at, l.occurred_at, l.is_interaction, l.is_external, l.actor_id, l.actor_type, l.application_id,
           l.agent_id, l.app_host
      from models.log_read l join named_file c using (name_digest)
     where l.tenant_id = ${tenant} and l.name_digest = any ((select array_agg(name_digest) from named_file)::uuid[])
       and l.occurred_at between ${from} and ${to} and ${where}
  )`;
