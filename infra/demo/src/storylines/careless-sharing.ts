import type { Chance } from '../chance.ts';
import { type Company, personNamed } from '../company.ts';
import { dlpOnFile } from '../records/data-loss.ts';
import { fileRecord, sharing } from '../records/sharepoint.ts';
import type { Beat } from './storyline.ts';

/** A receptionist in a hurry shares patients' papers by open links instead of by invitation; a rule notices, and they are taken back. */
export function carelessSharing(company: Company, chance: Chance): readonly Beat[] {
  const by = personNamed(company.people, 'Toby Ashworth');
  const papers = company.files.filter((file) => file.site.name === 'Patients');
  return papers.flatMap((file, index): Beat[] => {
    const afterMinutes = index * 4 + chance.next();
    return [
      { afterMinutes, by, record: (scene) => fileRecord(scene, 'FileAccessed', file) },
      {
        afterMinutes: afterMinutes + 1,
        by,
        record: (scene) => sharing(scene, 'AnonymousLinkCreated', file, { EventData: '<Type>View</Type>' }),
      },
      {
        afterMinutes: afterMinutes + 2,
        by,
        record: (scene) => dlpOnFile(scene, file, file.label === null ? 'Low' : 'High'),
      },
      { afterMinutes: afterMinutes + 50, by, record: (scene) => sharing(scene, 'AnonymousLinkRemoved', file) },
    ];
  });
}
