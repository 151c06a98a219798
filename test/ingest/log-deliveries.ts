import fc from 'fast-check';

/** Rows of which some are delivered twice, in any order, in batches of `size`. */
export const arbitraryDeliveries = <Row>(row: fc.Arbitrary<Row>, { maxLength }: { maxLength: number }) =>
  fc.array(row, { minLength: 1, maxLength }).chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      order: fc
        .subarray([...rows.keys()])
        .chain((again) => fc.shuffledSubarray([...rows.keys(), ...again], { minLength: rows.length + again.length })),
      size: fc.integer({ min: 1, max: 7 }),
    }),
  );
