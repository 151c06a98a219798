import { z } from 'zod';
import { document } from '../operation/operation.ts';
import {
  choice,
  choices,
  cursor,
  flag,
  instant as instantParameter,
  text as textParameter,
} from '../parameter/parameter.ts';
import { views } from '../parameter/view.ts';
import { instant, nullableInstant, nullableText } from '../record/scalar.ts';
import { frameworkAliases, frameworkKeys } from './framework.ts';

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
  'requirement_status',
  'exceptions',
  'attestation_history',
] as const;

/** Lifecycle events of agents. */
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

/** Path of the public keys, below the base URL. */
export const evidenceKeysPath = '/evidence/jwks.json';

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().min(0).meta({ description });
const ids = (description: string) => z.array(z.string()).max(100).meta({ description });
const digest = (description: string) => z.string().length(64).meta({ description });

const retention = z
  .object({
    frameworks: ids('Ids of the requirements on log retention.'),
    retentionTargetDays: count('Required days: 183.'),
    retentionTargetMet: z
      .boolean()
      .meta({ description: 'Whether the oldest stored log row was at least that old at coveredTo.' }),
    logHistoryDays: count(
      'Full days from the discovery of the oldest stored log row to coveredTo; null without rows.',
    ).nullable(),
    oldestLogAt: nullableInstant('discoveredAt of the oldest stored log row.'),
    newestLogAt: nullableInstant('discoveredAt of the newest log row.'),
    tenantConnectedAt: nullableInstant('When the tenant was connected, to distinguish a short history from a gap.'),
  })
  .meta({
    description: 'Log retention, by the time this service wrote the rows: imported history does not count.',
  });

const metadata = z
  .object({
    tenantId: text('The tenant.'),
    tenantName: text('Its name.'),
    azureTenantId: nullableText('Its id in the upstream identity platform.'),
    generatedAt: instant('When the pack was generated.'),
    generatedBy: text('The API key that requested it.'),
    coveredFrom: instant('Start of the covered period, included.'),
    coveredTo: instant('End of the covered period, included.'),
    timezone: text('UTC.'),
    catalogueVersion: text('Version of the catalogue of frameworks.'),
    evaluatorVersion: text('Version of the evaluation rules.'),
    query: z
      .object({
        from: instant('As applied.'),
        to: instant('As applied.'),
        framework: nullableText('Key of the framework.'),
        sections: z.array(z.string()).nullable().meta({ description: 'Keys of the requested sections.' }),
        section: nullableText('The section that is continued.'),
        pseudonymise: z.boolean().meta({ description: 'Whether persons are replaced by pseudonyms.' }),
      })
      .meta({ description: 'The request as applied.' }),
    toolVersions: z
      .object({ service: text('Version of the service.'), generator: text('Version of the pack generator.') })
      .meta({ description: 'Software that generated the pack.' }),
    retention,
    sourceStatus: z
      .array(
        z.object({
          source: text('Name of the source: a read model, or a feed of one, such as logs/Audit.Exchange.'),
          connectedAt: nullableInstant('When it was connected.'),
          lastCompleteImportAt: nullableInstant('When its last complete import ended.'),
          newestAt: nullableInstant('When its newest row was written.'),
          ageHours: z.int().min(0).nullable().meta({
            description: 'Whole hours since its last complete import, without a report since its newest row.',
          }),
          coverage: text(
            'complete, unproven (rows, but no import reported as complete), partial (gaps were reported), stale (older than 72 hours), missing, notLicensed or disabled.',
          ),
          gaps: z
            .array(
              z.object({
                from: nullableInstant('Start of the gap.'),
                to: nullableInstant('End of the gap.'),
                reason: nullableText('Why.'),
              }),
            )
            .meta({ description: 'Gaps reported by its collector.' }),
        }),
      )
      .meta({ description: 'Coverage of each source of the sections, and of each of their feeds.' }),
    limitations: z
      .array(z.object({ en: text('In English.'), pl: text('In Polish.') }))
      .meta({ description: 'What the pack cannot show.' }),
  })
  .meta({ description: 'Tenant, period, request and generator of the pack. Times have milliseconds.' });

const legendEntry = z.object({
  id: text('Id, as used in sections.'),
  name: text('Name in English.'),
  namePl: text('Name in Polish.'),
  reference: text('Legal reference.'),
  coverage: text(
    'main: the catalogue has a requirement that shows whether the core of the duty is fulfilled. indicator: it has indicators only.',
  ),
  coverageNote: text('What is measured or attested for it and what is not, in English.'),
  coverageNotePl: text('The same in Polish.'),
});

const section = z.object({
  key: text('Key, one of those of the parameter sections; with recipientKey also pseudonym_key, the last.'),
  label: text('Name in English.'),
  labelPl: text('Name in Polish.'),
  frameworks: ids('Ids of the requirements that the rows are evidence for.'),
  basis: text('state: what existed at some time in the period; window: what happened in it.'),
  asOf: nullableInstant('Newest write time among the facts of a state section; never the current time.'),
  orderBy: text('Total order of the rows.'),
  sources: z.array(z.string()).meta({ description: 'Its sources; metadata.sourceStatus has the coverage of each.' }),
  rowCount: count('Rows in this section.'),
  totalRowCount: count('Rows without the cap, counted from the first row of this section.'),
  truncated: z.boolean().meta({ description: 'Whether rows follow after the cap.' }),
  nextCursor: nullableText('Continues after the last row, together with section; null unless truncated.'),
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
    packId: text('UUID version 8 derived from packSha256.'),
    keysUrl: nullableText('URL of the public keys; null without a signature.'),
    signature: z
      .object({
        format: text('JWS.'),
        alg: text('EdDSA.'),
        kid: text('Id of the signing key.'),
        value: text('Detached compact JWS over the RFC 8785 form of integrity without signature.'),
      })
      .nullable()
      .meta({ description: 'Null if no signing key is configured.' }),
  })
  .meta({
    description: 'Digests and signature to detect alterations. `tenantscope verify FILE` checks the saved response.',
  });

const evidencePack = z
  .object({
    packType: text('tenantscope.agent_evidence_pack.'),
    version: text('Version of the pack generator.'),
    metadata,
    frameworks: z.array(legendEntry).meta({ description: 'Every id used in the pack.' }),
    sections: z.array(section).meta({ description: 'The sections in their order.' }),
    integrity,
  })
  .meta({ id: 'EvidencePack', description: 'Dated, verifiable evidence on the governance of AI agents.' });

export const getAgentEvidencePack = document({
  name: 'get_agent_evidence_pack',
  path: '/evidence/agents',
  scope: 'evidence:read',
  tenant: 'required',
  returns: 'record',
  summary: 'AI-agent evidence pack',
  description:
    'One dated document on the governance of AI agents, for auditors: sections of rows, each with the articles it is evidence for, digests and, if a signing key is configured, a signature. ' +
    'A section ends at its cap (2,000 rows, permissions 10,000): send its nextCursor as cursor, together with section, for a pack with its next rows, in the same period. ' +
    'The same period over unchanged data has equal section digests, except with pseudonymise. Mail addresses and national ids in free texts are masked. The body is RFC 8785 text: save it unchanged, and `tenantscope verify FILE` detects any alteration; with view=summary it has no rows and cannot be verified. A key generates one pack at a time: further requests wait, or fail with 503 and Retry-After.',
  toolDescription:
    'Dated audit evidence on AI agents for auditors: who is accountable, permissions, activity, threats, restrictions, impact assessment. Large: begin with view=summary, then name sections. More rows of one: its nextCursor as cursor.',
  containsUntrustedText: true,
  record: evidencePack,
  parameters: {
    from: instantParameter('Start of the period. Default: 183 days before its end.', '2026-05-01T00:00:00Z', {
      brief: '',
    }),
    to: instantParameter('End of the period. Default: the newest complete instant.', '2026-11-01T00:00:00Z', {
      brief: '',
    }),
    framework: choice(frameworkKeys, 'Only evidence for one framework.', 'dora', {
      brief: '',
      aliases: frameworkAliases,
    }),
    sections: choices(evidenceSectionKeys, 'Only these sections.', 'inventory,permissions', { brief: '' }),
    section: choice(evidenceSectionKeys, 'Only this section; with cursor, its next rows.', 'permissions', {
      brief: 'Goes with cursor.',
    }),
    cursor: cursor(
      'Continues a truncated section. It contains section, period and framework; other parameters sent with it are ignored.',
      { brief: 'More rows.' },
    ),
    view: choice(views, 'With summary, sections have no rows.', 'summary', {
      brief: 'summary: no rows.',
    }),
    pseudonymise: flag('Replaces persons by pseudonyms, which differ from pack to pack.', 'true', { brief: '' }),
    recipientKey: textParameter(
      'Public X25519 key, the x of its JWK; implies pseudonymise. The section pseudonym_key names the persons in a JWE (ECDH-ES, A256GCM) for this key. Without it pseudonyms cannot be resolved. `tenantscope pseudonyms create-key` creates one.',
      'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo',
      { brief: 'X25519 key that opens the pseudonyms.' },
    ),
  },
  examples: [
    {
      description: 'How many rows have inventory and permissions?',
      input: { view: 'summary', sections: 'inventory,permissions' },
    },
  ],
});

export type EvidencePack = z.infer<typeof evidencePack>;
