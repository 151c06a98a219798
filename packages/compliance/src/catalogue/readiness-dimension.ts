import { z } from 'zod';
import file from '../../data/readiness-dimensions.json' with { type: 'json' };

const dimension = z.strictObject({
  key: z.string(),
  title: z.string(),
  titlePl: z.string(),
  /** Whether it alone can block an assistant's introduction. */
  blocking: z.boolean(),
  /** What it follows from, and what is to be done about each. */
  requirements: z
    .array(
      z.strictObject({
        key: z.string(),
        action: z.string(),
        actionPl: z.string(),
        /** Where the rows behind it are, as a path of this service. */
        link: z.string().startsWith('/'),
      }),
    )
    .min(1),
  /** Numbers of its own, beside those of its requirements. */
  metrics: z.array(z.string()),
});

export type ReadinessDimension = z.infer<typeof dimension>;

/** What readiness for an AI assistant is looked at from. */
export const readinessDimensions: readonly ReadinessDimension[] = z
  .strictObject({ dimensions: z.array(dimension) })
  .parse(file).dimensions;
