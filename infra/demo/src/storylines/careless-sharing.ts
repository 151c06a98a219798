import { type Company, findPerson } from '../company.ts';
import type { Random } from '../random.ts';
import { dlpOnFile } from '../records/data-loss.ts';
import { fileRecord, sharing } from '../records/sharepoint.ts';
import type { StorylineEvent } from './storyline-event.ts';

/** A receptionist shares patient documents by anonymous links instead of invitations; a rule detects it, and the links are removed. */
export function createCarelessSharing(company: Company, random: Random): readonly StorylineEvent[] {
  const by = findPerson(company.employees, 'Toby Ashworth');
  const papers = company.files.filter((file) => file.site.name === 'Patients');
  return papers.flatMap((file, index): StorylineEvent[] => {
    const afterMinutes = index * 4 + random.next();
    return [
      { offsetMinutes: afterMinutes, by, record: (context) => fileRecord(context, 'FileAccessed', file) },
      {
        offsetMinutes: afterMinutes + 1,
        by,
        record: (context) => sharing(context, 'AnonymousLinkCreated', file, { EventData: '<Type>View</Type>' }),
      },
      {
        offsetMinutes: afterMinutes + 2,
        by,
        record: (context) => dlpOnFile(context, file, file.label === null ? 'Low' : 'High'),
      },
      { offsetMinutes: afterMinutes + 50, by, record: (context) => sharing(context, 'AnonymousLinkRemoved', file) },
    ];
  });
}
