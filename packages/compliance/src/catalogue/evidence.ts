import { z } from 'zod';
import legendFile from '../../data/evidence-legend.json' with { type: 'json' };
import sectionsFile from '../../data/evidence-sections.json' with { type: 'json' };

const legendEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  namePl: z.string(),
  reference: z.string(),
  framework: z.string(),
  verified: z.enum(['primary', 'secondary', 'memory']),
  appliesFrom: z.iso.date().nullable().optional(),
});

const section = z.strictObject({
  key: z.string(),
  label: z.string(),
  labelPl: z.string(),
  /** What existed at some time in the window, or what happened in it. */
  basis: z.enum(['state', 'window']),
  /** The event time that decides whether a row is in the window. */
  windowField: z.string().optional(),
  rowCap: z.number().int().positive(),
  /** A total order: no two rows have the same position. */
  orderBy: z.string(),
  /** Ids of legend entries the rows are evidence for. */
  frameworks: z.array(z.string()).min(1),
  fields: z.array(z.strictObject({ name: z.string(), type: z.string(), meaning: z.string() })).min(1),
  questions: z
    .array(
      z.strictObject({
        key: z.string(),
        article: z.string(),
        answer: z.string(),
        basis: z.string(),
        question: z.string(),
        questionPl: z.string(),
      }),
    )
    .optional(),
});

export type LegendEntry = z.infer<typeof legendEntry>;
export type EvidenceSection = z.infer<typeof section>;

const legend = z
  .strictObject({ retentionFrameworks: z.array(z.string()), entries: z.array(legendEntry) })
  .parse(legendFile);

/** The legend that sections of an evidence pack cite. */
export const evidenceLegend: readonly LegendEntry[] = legend.entries;

/** Ids of the legend entries that require log retention. */
export const retentionFrameworks: readonly string[] = legend.retentionFrameworks;

/** Sections of an evidence pack, in its order. */
export const evidenceSections: readonly EvidenceSection[] = z
  .strictObject({ sections: z.array(section) })
  .parse(sectionsFile).sections;
