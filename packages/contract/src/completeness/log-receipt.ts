import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { instant as instantParameter } from '../parameter/parameter.ts';
import { instant } from '../record/scalar.ts';

/** Most days that one request returns. */
export const receiptDaysMax = 400;

const digest = (description: string) => z.string().length(64).meta({ description });

const receiptHour = z
  .object({
    hour: instant('Start of the hour of discoveredAt.'),
    rowCount: z.int().min(0).meta({ description: 'Rows of the hour.' }),
    idsSha256: digest('SHA-256 of the ids in page order, each followed by a line feed.'),
    rowsSha256: digest(
      'SHA-256 of the rows in page order, each as in the response of /logs without a view and followed by a line feed: of the hour as NDJSON.',
    ),
  })
  .meta({ id: 'LogReceiptHour' });

const logReceipt = z
  .object({
    tenantId: z.string().meta({ description: 'The tenant.' }),
    day: z.string().length(10).meta({ description: 'UTC day of discoveredAt, as 2026-11-01.' }),
    rowCount: z.int().min(0).meta({ description: 'Rows of the day.' }),
    hours: z.array(receiptHour).max(24).meta({ description: 'The hours that have rows.' }),
    layout: z.string().nullable().meta({
      description:
        'SHA-256 of the names of the members of a row, in their order, separated by commas. Rows that another version of the service sent with other members have another one: of these compare the ids. null on a day without rows.',
    }),
    previousSha256: digest('sha256 of the receipt before. null on the first one.').nullable(),
    sha256: digest('SHA-256 of the RFC 8785 text of this receipt without sha256.'),
  })
  .meta({ id: 'LogReceipt', description: 'The rows of a complete day in digests.' });

export type LogReceipt = z.infer<typeof logReceipt>;

export const listLogReceipts = document({
  name: 'list_log_receipts',
  path: '/logs/receipts',
  scope: 'logs:read',
  tenant: 'required',
  returns: 'collection',
  summary: 'Receipts of the audit log',
  description: `Counts and digests of the rows of each complete UTC day, oldest first, so that a receiver can prove that it has every row, unaltered and in order. A receipt is written once the day is complete and never changes: events that arrive later belong to later days. At most ${receiptDaysMax} days on one page.`,
  toolDescription:
    'Counts and digests of audit events for each complete UTC day and hour of discoveredAt. Proves that a copy of the log is complete. Today is not included.',
  containsUntrustedText: false,
  record: logReceipt,
  parameters: {
    from: instantParameter(
      'Days from the one of this time on. Default: seven days before to.',
      '2026-11-01T00:00:00Z',
      {
        brief: 'First day.',
      },
    ),
    to: instantParameter('Days up to the one of this time. Default: today.', '2026-11-07T00:00:00Z', {
      brief: 'Last day.',
    }),
  },
  examples: [{ description: 'The last seven days', input: {} }],
});
