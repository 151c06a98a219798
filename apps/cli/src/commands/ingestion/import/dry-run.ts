import type { TopicName } from '@tenantscope/contract';
import { type PublishedFormat, previewRecord, type RecordPreview } from '@tenantscope/intake';
import { createCloudEventMessage } from '@tenantscope/publish';
import type { Tenant } from '@tenantscope/store/admin';
import { recordMaxBytes } from '../../../input/record/record-reader.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { escapeControlCharacters } from '../../../output/escape-control-characters.ts';

const shownRecords = 3;

/** What the first records would become, and which of their members no row shows. Publishes nothing. */
export function previewImport(
  records: readonly Buffer[],
  format: PublishedFormat,
  tenant: Tenant,
  looksLike: string | null,
): CommandResult {
  const previews = records.slice(0, shownRecords).map((value) => {
    const event = { id: 'dry-run', source: '/collectors/import', tenantId: tenant.id, timeMs: Date.now(), value };
    const message = createCloudEventMessage({ ...event, ...format.addressRecord(value, tenant.id) });
    const key = message.key === null ? null : Buffer.from(message.key);
    return previewRecord(
      format.topic as Exclude<TopicName, 'tenant'>,
      { key, value, headers: message.headers },
      {
        findTenant: (id) => (id === tenant.id ? tenant : undefined),
        nowMs: Date.now(),
        maxValueBytes: recordMaxBytes,
        onlyElement: null,
      },
    );
  });
  const text = previews.length === 0 ? 'No records.' : previews.map(formatPreview).join('\n\n');
  return { document: { dryRun: true, format: format.name, looksLike, records: previews }, text };
}

function formatPreview({ rows, rejections, leftOver }: RecordPreview, index: number): string {
  const lines = [
    `record ${index + 1}`,
    ...rows.map((row) => JSON.stringify(row, null, 2)),
    ...rejections.map(({ reason, detail }) => `would be a dead letter: ${reason}: ${detail}`),
    ...(rows.length === 0 ? [] : [`left over: ${leftOver.length === 0 ? 'nothing' : leftOver.join(', ')}`]),
  ];
  return escapeControlCharacters(lines.join('\n'), '\n');
}
