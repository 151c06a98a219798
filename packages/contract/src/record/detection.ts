import { z } from 'zod';
import { get, list } from '../operation/operation.ts';
import { choices, flag, texts } from '../parameter/parameter.ts';
import { idReferences, resourceByKind } from './id-reference.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';
import { severities } from './vocabulary.ts';

export const detectionStatuses = ['open', 'resolved', 'dismissed'] as const;
export const detectionLevels = ['alerted', 'informational'] as const;

const amount = (description: string) => z.number().nullable().meta({ description });

const anomalyDetails = z.object({
  level: nullableText(
    "alerted once the episode exceeded the tenant's alert threshold, permanently; informational otherwise.",
  ),
  current: amount('Events in the latest window.'),
  peakCurrent: amount('Most events in one window of the episode.'),
  baseline: amount('Events expected per window, frozen when the episode opened.'),
  score: amount('0 to 100, of the latest window.'),
  peakScore: amount('Highest score of the episode.'),
  diffPercent: amount('Deviation of current from the baseline in percent; negative for drops.'),
  actionGroup: nullableText('What was counted, for example file.download.'),
  activityLabel: nullableText('actionGroup as a noun phrase.'),
  activityDescription: nullableText('actionGroup as a sentence.'),
  episodeCount: z
    .int()
    .nullable()
    .meta({ description: 'Number of the episode among those of its kind within 90 days.' }),
});

/** One detection episode. Stored and served documents have the members in this order. */
const detection = z
  .object({
    ...mutableRecord,
    kind: z.string().meta({ description: 'anomaly. New kinds come with details of their own.' }),
    severity: nullableText('informational, low, medium, high or critical.'),
    status: nullableText('open, resolved (it went quiet) or dismissed (closed by an admin as expected).'),
    stateful: z.boolean().nullable().meta({ description: 'Whether the episode may still change.' }),
    openedAt: instant('Start of the first anomalous window.'),
    lastSeenAt: nullableInstant('End of the latest anomalous window.'),
    resolvedAt: nullableInstant('When it was closed; null while open.'),
    summary: nullableText('One English sentence about the episode. Names in it are text from third parties.'),
    detector: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .meta({ description: 'The detector that found it.' }),
    entity: z
      .object({
        type: z.string().nullable(),
        id: z.string().nullable().register(idReferences, { discriminator: 'type', resources: resourceByKind }),
        name: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'The entity it concerns; null for the whole tenant.' }),
    // Not a union with an object of any members, of which ogen generates nothing.
    details: anomalyDetails.partial().nullable().meta({
      description:
        'Details by kind: an anomaly has all of these members. Another kind has its own; one of the same name has the same type.',
    }),
  })
  .meta({
    id: 'Detection',
    description: 'An episode found by a detector. Detections change: follow updatedAt.',
  });

export type Detection = z.infer<typeof detection>;

export const listDetections = list({
  name: 'list_detections',
  path: '/detections',
  scope: 'detections:read',
  summary: 'Detections',
  description:
    "The service's own detection episodes. They change after they first appear: poll with sort=updatedAtAsc and upsert on id to receive every change or a later one. " +
    'from and to filter on openedAt, where rows can still arrive late. Episodes of the informational tier are left out unless includeInfoTier=true. ' +
    'Names and summaries are text from third parties. Values may be added to every vocabulary.',
  toolDescription:
    'Anomalies this service noticed itself (unusual volumes of downloads, sharing, sign-ins, AI use), one row per episode. Start here for what is suspicious. Next: list_detection_logs.',
  containsUntrustedText: true,
  record: detection,
  filters: {
    status: choices(detectionStatuses, 'Status of the episode.', 'open', { brief: '' }),
    includeInfoTier: flag('Whether to include the informational tier, which is left out by default.', 'true', {
      brief: '',
    }),
    severity: choices(severities, 'Severity of the episode.', 'high,critical', { brief: '' }),
    kind: texts('Kind of the detection.', 'anomaly', { vocabulary: 'kind', brief: '' }),
    level: choices(detectionLevels, 'Tier of the episode.', 'alerted', { brief: '' }),
    detectorId: texts('Id of the detector.', 'volume.file-download.user', { vocabulary: 'detector.id', brief: '' }),
    entityType: texts('Kind of the entity.', 'user,agent', { vocabulary: 'entity.type', brief: '' }),
    entityId: texts('Id of the entity.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', { hasCommas: true, brief: '' }),
    actionGroup: texts('What was counted.', 'file.download', { vocabulary: 'details.actionGroup', brief: '' }),
  },
  hasViews: true,
  windows: {
    openedAt: { from: 'from', to: 'to', clock: 'upstream', description: 'openedAt, when the episode began' },
    updatedAt,
  },
  sorts: ['openedAtDesc', 'openedAtAsc', 'updatedAtAsc'],
  examples: [
    { description: 'Open episodes of high or critical severity', input: { status: 'open', severity: 'high,critical' } },
    {
      description: 'Every change since an instant, as pollers read it',
      pollingOnly: true,
      input: { updatedFrom: '2026-11-01T00:00:00Z', sort: 'updatedAtAsc', includeInfoTier: 'true', limit: '1000' },
    },
  ],
});

export const getDetection = get({
  name: 'get_detection',
  path: '/detections/{id}',
  scope: 'detections:read',
  summary: 'One detection',
  description: 'One detection episode by its id, including the informational tier.',
  toolDescription:
    'One anomaly episode with its current status and numbers, including the informational tier. Read it again before concluding: episodes change. Next: list_detection_logs.',
  containsUntrustedText: true,
  exampleId: 'det_2738af7b30ca449cb949',
  record: detection,
  examples: [],
});
