/** Members of Azure Monitor's frame that fields of the row serve. */
export const frameNames: ReadonlySet<string> = new Set(
  `time operationName category tenantId callerIpAddress correlationId resultType resultDescription properties`.split(
    ' ',
  ),
);
