import { z } from 'zod';
import file from '../../data/readiness-dimensions.json' with { type: 'json' };

const dimension = z.strictObject({
  key: z.string(),
  title: z.string(),
  titlePl: z.string(),
  /** Whether it alone can block the introduction of an assistant. */
  blocking: z.boolean(),
  /** The requirements it is derived from, with an action for each. */
  requirements: z
    .array(
      z.strictObject({
        key: z.string(),
        action: z.string(),
        actionPl: z.string(),
        /** The path in this service of the rows behind it. */
        link: z.string().startsWith('/'),
      }),
    )
    .min(1),
  /** Metrics of its own, in addition to those of its requirements. */
  metrics: z.array(z.string()),
});

export type ReadinessDimension = z.infer<typeof dimension>;

/** The dimensions of readiness for an AI assistant. */
export const readinessDimensions: readonly ReadinessDimension[] = z
  .strictObject({ dimensions: z.array(dimension) })
  .parse(file).dimensions;
