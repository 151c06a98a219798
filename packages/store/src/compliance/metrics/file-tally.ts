/** Rows while files that are older than `models.file_exposure` and `models.file_tally` are being added to them. */
export const isFileBackfill = `select from models.log_tally_backfill b where b.tally = 'file' and b.next_at is not null`;
