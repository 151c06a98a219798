import { z } from 'zod';
import file from '../../data/frameworks.json' with { type: 'json' };

const date = z.iso.date();
/** Whether the text was checked against the primary source, other sources, or not at all. */
const verified = z.enum(['primary', 'secondary', 'memory']);

const article = z.strictObject({
  id: z.string(),
  ref: z.string(),
  title: z.string(),
  titlePl: z.string(),
  /** One line, not a quotation. */
  duty: z.string(),
  verified,
  /** The first day it applies; absent where it is in force. */
  appliesFrom: date.optional(),
  note: z.string().optional(),
});

const framework = z.strictObject({
  key: z.string(),
  /** Accepted in place of the key in requests; responses use the key. */
  aliases: z.array(z.string()),
  name: z.string(),
  namePl: z.string(),
  officialName: z.string(),
  officialNamePl: z.string(),
  kind: z.enum([
    'eu_regulation',
    'eu_directive',
    'national_act',
    'national_regulation',
    'standard',
    'criteria',
    'framework',
  ]),
  jurisdiction: z.string().nullable(),
  reference: z.string(),
  referencePl: z.string(),
  status: z.strictObject({
    inForce: z.boolean().nullable(),
    note: z.string().optional(),
    notePl: z.string().optional(),
    phases: z.array(z.strictObject({ from: date, what: z.string() })).optional(),
  }),
  sources: z.array(z.string()),
  caveat: z.string().optional(),
  articles: z.array(article).min(1),
});

export type Framework = z.infer<typeof framework>;
export type Article = z.infer<typeof article>;

/** Every registered framework, in the order of responses. */
export const frameworkCatalogue: readonly Framework[] = z
  .strictObject({ frameworks: z.array(framework) })
  .parse(file).frameworks;

/** Other names of frameworks, and the keys they stand for. */
export const frameworkAliases: Readonly<Record<string, string>> = Object.fromEntries(
  frameworkCatalogue.flatMap(({ key, aliases }) => aliases.map((alias) => [alias, key])),
);
