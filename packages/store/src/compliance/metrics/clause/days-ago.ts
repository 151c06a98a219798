/**
 * The time of measurement, the second value of a statement, minus some days of 24 hours. An interval in days would be computed for each row by the rules of the time zone:
 * 14 of the 107 ms of a statement that reads 63,000 episodes.
 */
export const daysAgo = (days: number): string => `$2::timestamptz - interval '${24 * days} hours'`;
