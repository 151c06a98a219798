/**
 * Members of Azure Monitor's frame that fields of the row serve. Some collectors write all names of the frame in lower
 * case.
 */
export const frameNames: ReadonlySet<string> = new Set(
  `time operationName category tenantId callerIpAddress correlationId resultType resultDescription properties
  operationname tenantid calleripaddress correlationid resulttype resultdescription`.split(/\s+/),
);
