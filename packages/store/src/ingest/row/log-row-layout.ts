// Where the fields of a row of the log begin, with their lengths, in the binary format of COPY.

export const uuidField = 4 + 16;
export const timestampField = 4 + 8;
export const tenantAt = 2;
export const stampAt = tenantAt + uuidField;
export const idAt = stampAt + timestampField;
export const occurrenceAt = idAt + uuidField;
