import { z } from 'zod';
import file from '../../data/report-templates.json' with { type: 'json' };

const template = z.strictObject({
  id: z.string(),
  name: z.string(),
  namePl: z.string(),
  description: z.string(),
  descriptionPl: z.string(),
  version: z.string(),
  audience: z.string(),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string(),
      required: z.boolean(),
      default: z.string().nullable(),
      allowed: z.array(z.string()).nullable(),
    }),
  ),
  /** Keys of frameworks; empty where it covers all of them or a requested one. */
  frameworks: z.array(z.string()),
  sections: z.array(z.strictObject({ key: z.string(), label: z.string(), labelPl: z.string() })).min(1),
});

export type ReportTemplate = z.infer<typeof template>;

/** The report templates, in the order of the list. */
export const reportTemplates: readonly ReportTemplate[] = z
  .strictObject({ templates: z.array(template) })
  .parse(file).templates;
