import { management, readDocument } from './message.ts';

export const format = 'o365.management-activity';
export const guid = '7d2f4c7e-5b0a-4f0e-9a55-1c2d3e4f5a6b';
export const otherGuid = '3a1b9d20-0000-4000-8000-000000000777';

/** The document of a plain record with these changes. */
export function readFields(changes: Record<string, unknown>) {
  return readDocument(format, management(changes));
}
