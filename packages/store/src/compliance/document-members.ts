/**
 * SQL of values that are in documents only, whose text is searched: the product writes them with these members once, in this order, without spaces and before any
 * member that it passes on, and a text in them cannot contain the names, since its quotes are escaped. To parse the documents took several times as long, and what follows in
 * the detail of an alert is the record of its provider, which the server may be unable to parse. Texts are split, which takes half the time of `like` and `strpos`: those find characters
 * of several bytes.
 *
 * @param of name of the row
 */
export const detectionLastSeenAt = (of: string): string => readTime(`${of}.document`, 'lastSeenAt');

/** Null while the episode is open. */
export const detectionResolvedAt = (of: string): string =>
  `case when ${of}.status <> 'open' then ${readTime(`${of}.document`, 'resolvedAt')} end`;

/** Null where the provider did not report it. */
export const alertResolvedAt = (of: string): string =>
  readTime(`split_part(${of}.detail, ',"rawData":', 1)`, 'resolvedDateTime');

/** Whether the list of apps has elements. */
export const alertHasApps = (of: string): string => `split_part(${of}.document, ',"apps":', 2) like '[{%'`;

const readTime = (text: string, member: string): string =>
  `nullif(split_part(split_part(${text}, '"${member}":"', 2), '"', 1), '')::timestamptz`;
