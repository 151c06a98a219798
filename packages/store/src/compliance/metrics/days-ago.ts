/**
 * The time of measurement, the second value of a statement, minus some days of 24 hours. In hours, since days of an interval are computed for each row with the rules of the
 * time zone: 200 ns, an eighth of a statement that reads 63,000 episodes.
 */
export const daysAgo = (days: number): string => `$2::timestamptz - interval '${24 * days} hours'`;
