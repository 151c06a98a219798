import { z } from 'zod';
import { frameworkAliases, frameworkKeys } from './framework.ts';
import { document } from './operation.ts';
import { choice, choices, cursor, instant as instantParameter, text as textParameter } from './parameter.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';

/** Sections of an evidence pack, in its order. */
export const evidenceSectionKeys = [
  'inventory',
  'permissions',
  'activity_summary',
  'lifecycle_events',
  'threat_events',
  'instruction_changes',
  'store_shelf',
  'third_party_apps',
  'ai_app_reach',
  'ai_policy_scans',
  'ai_detections',
  'data_restrictions',
  'restriction_history',
  'fria_systems',
  'fria_summary',
  'remediation',
] as const;

/** What can become of an agent. */
export const agentLifecycleEvents = [
  'create',
  'update',
  'publish',
  'deploy',
  'undeploy',
  'block',
  'unblock',
  'share',
  'delete',
] as const;

export type EvidenceSectionKey = (typeof evidenceSectionKeys)[number];

/** Where the public keys lie, below the base address. */
export const evidenceKeysPath = '/evidence/jwks.json';

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().min(0).meta({ description });
const ids = (description: string) => z.array(z.string()).max(100).meta({ description });
const digest = (description: string) => z.string().length(64).meta({ description });

const retention = z
  .object({
    frameworks: ids('Ids of what asks for the log to be kept.'),
    retentionTargetDays: count('Days it asks for: 183.'),
    retentionTargetMet: z.boolean().meta({ description: 'Whether the oldest kept log row is at least so old.' }),
    logHistoryDays: count('Whole days since the oldest kept log row was discovered; null without rows.').nullable(),
    oldestLogAt: nullableInstant('discoveredAt of the oldest kept log row.'),
    newestLogAt: nullableInstant('discoveredAt of the newest log row.'),
    tenantConnectedAt: nullableInstant('Since when the tenant is connected: tells a short history from a gap.'),
  })
  .meta({
    description: 'How long the log is kept, by when this service wrote its rows: imported history is not retention.',
  });

const metadata = z
  .object({
    tenantId: text('The tenant.'),
    tenantName: text('Its name.'),
    azureTenantId: nullableText('Its id in the upstream identity platform.'),
    generatedAt: instant('When the pack was made.'),
    generatedBy: text('The key that asked for it.'),
    coveredFrom: instant('Start of the covered period; it belongs to the period.'),
    coveredTo: instant('End of the covered period; it belongs to the period.'),
    timezone: text('UTC.'),
    catalogueVersion: text('Version of the catalogue of frameworks.'),
    query: z
      .object({
        from: instant('As applied.'),
        to: instant('As applied.'),
        framework: nullableText('Key of the framework.'),
        sections: z.array(z.string()).nullable().meta({ description: 'Keys of the sections that were asked for.' }),
        section: nullableText('The section that is continued.'),
      })
      .meta({ description: 'The request as it was applied.' }),
    toolVersions: z
      .object({ service: text('Version of the service.'), generator: text('Version of what makes packs.') })
      .meta({ description: 'What made the pack.' }),
    retention,
    sourceStatus: z
      .array(
        z.object({
          source: text('Name of the source.'),
          connectedAt: nullableInstant('Since when it is connected.'),
          lastCompleteImportAt: nullableInstant('When its last complete import ended.'),
          coverage: text(
            'complete, unproven (rows, and no import said to be complete), partial (gaps were reported), missing, notLicensed or disabled.',
          ),
          gaps: z
            .array(
              z.object({
                from: nullableInstant('Start of what is missing.'),
                to: nullableInstant('End of what is missing.'),
                reason: nullableText('Why.'),
              }),
            )
            .meta({ description: 'Gaps as its collector reported them.' }),
        }),
      )
      .meta({ description: 'How completely each source stands behind the sections.' }),
    limitations: z
      .array(z.object({ en: text('In English.'), pl: text('In Polish.') }))
      .meta({ description: 'What the pack cannot show.' }),
  })
  .meta({ description: 'For whom, when, by whom and for what the pack was made. Times have milliseconds.' });

const legendEntry = z.object({
  id: text('Id, as sections name it.'),
  name: text('Name in English.'),
  namePl: text('Name in Polish.'),
  reference: text('Legal reference.'),
});

const section = z.object({
  key: text(`Key: ${evidenceSectionKeys.join(', ')}.`),
  label: text('Name in English.'),
  labelPl: text('Name in Polish.'),
  frameworks: ids('Ids of what the rows are evidence for.'),
  basis: text('state: what existed at some time in the period; window: what happened in it.'),
  asOf: nullableInstant('Newest stamp among the facts of a state section; never the clock.'),
  orderBy: text('Total order of the rows.'),
  sources: z.array(z.string()).meta({ description: 'What it is made of; metadata.sourceStatus tells of each.' }),
  rowCount: count('Rows here.'),
  totalRowCount: count('Rows before the cap, counted from the first row here.'),
  truncated: z.boolean().meta({ description: 'Whether there are more rows than here.' }),
  nextCursor: nullableText('Continues after the last row here, with section; null unless truncated.'),
  rows: z.array(z.record(z.string(), z.unknown())).meta({ description: 'Rows. Texts in them are from third parties.' }),
  sha256: digest('SHA-256, lower-case hex, of the RFC 8785 form of rows.'),
});

const integrity = z
  .object({
    canonicalization: text('RFC8785.'),
    algorithm: text('SHA-256.'),
    manifest: z
      .array(
        z.object({
          path: text('packType, version, metadata, frameworks, or sections.KEY.'),
          sha256: digest('Digest of the RFC 8785 form of that member.'),
        }),
      )
      .meta({ description: 'Digests of every other member of the pack.' }),
    packSha256: digest('Digest of the RFC 8785 form of manifest.'),
    packId: text('UUID version 8 made of packSha256.'),
    keysUrl: nullableText('Where the public keys lie; null without a signature.'),
    signature: z
      .object({
        format: text('JWS.'),
        alg: text('EdDSA.'),
        kid: text('Which key.'),
        value: text('Detached compact JWS over the RFC 8785 form of integrity without signature.'),
      })
      .nullable()
      .meta({ description: 'Null where no signing key is configured.' }),
  })
  .meta({ description: 'Proves that no byte was altered: «tenantscope verify FILE» checks the answer as it came.' });

const evidencePack = z
  .object({
    packType: text('tenantscope.agent_evidence_pack.'),
    version: text('Version of what makes packs.'),
    metadata,
    frameworks: z.array(legendEntry).meta({ description: 'Every id used in the pack.' }),
    sections: z.array(section).meta({ description: 'The sections in their order.' }),
    integrity,
  })
  .meta({ id: 'EvidencePack', description: 'Evidence on the governance of AI agents, dated and verifiable.' });

export const getAgentEvidencePack = document({
  name: 'get_agent_evidence_pack',
  path: '/evidence/agents',
  scope: 'evidence:read',
  tenant: 'required',
  holds: 'one',
  summary: 'AI-agent evidence pack',
  description:
    'One dated document on the governance of AI agents, for auditors: sections of rows, each with the articles it is evidence for, digests of all of it and, where a key is configured, a signature. ' +
    'Without from the period is the 183 days before its end; without to it ends at the newest moment that is complete. ' +
    'A section ends at its cap (2,000 rows, permissions 10,000): its nextCursor, sent as cursor with section, answers a pack with that section alone and its next rows, under the same period. ' +
    'The same period over unchanged data has the same digests of sections. The body is RFC 8785 text: save it as it came, and «tenantscope verify FILE» finds every altered byte. One pack at a time is made for a key: another one waits, or is answered 503 with Retry-After.',
  guidance:
    'Dated audit evidence on AI agents for auditors: who answers for them, permissions, activity, threats, restrictions, impact assessment. Large: name sections. More rows of one: its nextCursor as cursor.',
  textOfOthers: true,
  record: evidencePack,
  parameters: {
    from: instantParameter('Start of the period; 183 days before its end when absent.', '2026-05-01T00:00:00Z', {
      brief: '',
    }),
    to: instantParameter('End of the period; the newest complete moment when absent.', '2026-11-01T00:00:00Z', {
      brief: '',
    }),
    framework: choice(frameworkKeys, 'Keeps what is evidence for one framework.', 'dora', {
      brief: '',
      aliases: frameworkAliases,
    }),
    sections: choices(evidenceSectionKeys, 'Keeps the named sections.', 'inventory,permissions', { brief: '' }),
    section: textParameter('One section alone; with cursor, its next rows.', 'permissions', {
      brief: 'Goes with cursor.',
    }),
    cursor: cursor(
      'Continues a truncated section. It carries section, period and framework: what is sent beside it is ignored.',
      { brief: 'More rows.' },
    ),
  },
  examples: [{ words: 'Agents and permissions', input: { sections: 'inventory,permissions' } }],
});

export type EvidencePack = z.infer<typeof evidencePack>;
