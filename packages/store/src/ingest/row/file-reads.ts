import { digestFileName } from '../../resource/file-name-digest.ts';
import { readActions } from '../../resource/read-actions.ts';
import type { AuditLogRow } from './audit-log-row.ts';
import { asciiField, booleanField, isAscii, textField, writeTimestamp, writeUuid } from './binary-copy.ts';
import { readClientId } from './client-id.ts';
import { idAt, occurrenceAt, stampAt, tenantAt, timestampField, uuidField } from './log-row-layout.ts';

/** What a row of the log, or a fact of it, shows about the reader of files. */
export interface FileReader {
  readonly isInteraction: boolean;
  readonly isExternal: boolean;
  readonly actorId: string | null;
  readonly actorType: string | null;
  /** The app by its id among those of the tenant, else by its client id; of an interaction its client. */
  readonly applicationId: string | null;
  readonly agentId: string | null;
  readonly appHost: string | null;
}

/** Reads in the binary format of COPY, ready but for what the line of their row has too. Plain typed arrays, for worker threads. */
export interface PreparedReads {
  readonly bytes: Uint8Array;
  /** Where each read begins, and the end of the last: count + 1 values. */
  readonly starts: Uint32Array;
  /** The line of each read; they ascend. */
  readonly lines: Uint32Array;
}

type ReadRow = Pick<AuditLogRow, 'facts' | 'memberLines'> & {
  readonly columns: Pick<AuditLogRow['columns'], 'action' | 'resourceId' | 'actorId' | 'actorType' | 'applicationId'>;
};

/** A hot path: of most rows two comparisons. */
export function prepareReads(rows: readonly ReadRow[], order: readonly number[]): PreparedReads {
  const fields: string[] = [];
  const lines: number[] = [];
  for (let line = 0; line < order.length; line++)
    listFileReads(rows[order[line] as number] as ReadRow, (name, reader) => {
      fields.push(encodeRead(name, reader));
      lines.push(line);
    });
  const starts = new Uint32Array(fields.length + 1);
  for (const [index, { length }] of fields.entries())
    starts[index + 1] = (starts[index] as number) + headBytes + length;
  const bytes = Buffer.allocUnsafeSlow(starts[fields.length] as number);
  for (const [index, text] of fields.entries()) {
    const start = starts[index] as number;
    readHead.copy(bytes, start);
    bytes.write(text, start + headBytes, 'latin1');
  }
  return { bytes, starts, lines: Uint32Array.from(lines) };
}

const actions = new Set(readActions);

/** Calls `add` with each name under which the row names a file that it opened. */
export function listFileReads(
  { columns, facts, memberLines }: ReadRow,
  add: (name: string, reader: FileReader) => void,
): void {
  const { action, resourceId, actorId, actorType } = columns;
  if (resourceId !== null && actions.has(action)) {
    const applicationId = columns.applicationId ?? readClientId(memberLines);
    const isOf = { isInteraction: false, isExternal: false, agentId: null, appHost: null };
    add(resourceId, { ...isOf, actorId, actorType, applicationId });
  }
  // Most interactions open nothing.
  for (const { kind, actorId, agentId, clientId, facts: text } of facts)
    if (kind === 'aiInteraction' && opensFiles.test(text)) {
      const members = JSON.parse(text) as InteractionMembers;
      const reader = {
        isInteraction: true,
        isExternal: members.isExternal === true,
        actorId,
        actorType: members.actorType ?? null,
        applicationId: clientId,
        agentId,
        appHost: members.appHost ?? null,
      };
      for (const name of listNames(members)) add(name, reader);
    }
}

/** Most interactions open nothing. The server writes a space before a value. */
const opensFiles = /"resources": ?\[\{/;

/** As `packages/intake/src/log-fact/ai-interaction.ts` writes them. */
interface InteractionMembers {
  readonly actorType?: string;
  readonly isExternal?: boolean;
  readonly appHost?: string;
  readonly resources?: readonly { readonly id?: string; readonly name?: string; readonly siteUrl?: string }[];
}

/** A file without an id may be named by its address. */
function listNames({ resources = [] }: InteractionMembers): Set<string> {
  const names = new Set<string>();
  for (const { id, name, siteUrl } of resources)
    for (const one of [id ?? name, siteUrl]) if (one !== undefined) names.add(one.toLowerCase());
  return names;
}

export const readColumns =
  'tenant_id, discovered_at, log_id, occurred_at, name_digest, is_interaction, is_external, actor_id, actor_type, application_id, agent_id, app_host';

/** The first four fields are those of a row of the log, at the same places. */
export const sharedBytes = 2 * uuidField + 2 * timestampField;
const headBytes = tenantAt + sharedBytes;
const readHead = Buffer.alloc(headBytes);
readHead.writeInt16BE(readColumns.split(',').length);

/** Digests of the latest names: a few files are in most reads, and a digest takes 1.5 µs. At most 5 MB. */
const digests = new Map<string, string>();
const digestsMax = 8_192;
const cachedNameMax = 300;

function findDigest(name: string): string {
  const cached = digests.get(name);
  if (cached !== undefined) return cached;
  const digest = digestFileName(name).toString('latin1');
  if (name.length <= cachedNameMax) {
    if (digests.size >= digestsMax) digests.clear();
    digests.set(name, digest);
  }
  return digest;
}

/** The other fields, as a string of bytes. */
function encodeRead(name: string, reader: FileReader): string {
  const { isInteraction, isExternal, actorId, actorType, applicationId, agentId, appHost } = reader;
  const text = isAscii(`${actorId}${actorType}${applicationId}${agentId}${appHost}`) ? asciiField : textField;
  return (
    `\0\0\0\x10${findDigest(name)}${booleanField(isInteraction)}${booleanField(isExternal)}` +
    `${text(actorId)}${text(actorType)}${text(applicationId)}${text(agentId)}${text(appHost)}`
  );
}

/** A read of a stored row. */
export interface ListedRead {
  readonly tenantId: string;
  readonly logId: string;
  readonly occurredMs: number;
  readonly discoveredMs: number;
  readonly name: string;
  readonly reader: FileReader;
}

/** The whole row of a read in the binary format of COPY. */
export function encodeListedRead({ tenantId, logId, occurredMs, discoveredMs, name, reader }: ListedRead): Buffer {
  const head = Buffer.from(readHead);
  const putUuid = (uuid: string, at: number) => writeUuid(head, uuid, head.writeInt32BE(16, at));
  const putTime = (ms: number, at: number) => writeTimestamp(head, ms, head.writeInt32BE(8, at));
  putUuid(tenantId, tenantAt);
  putTime(discoveredMs, stampAt);
  putUuid(logId, idAt);
  putTime(occurredMs, occurrenceAt);
  return Buffer.concat([head, Buffer.from(encodeRead(name, reader), 'latin1')]);
}
