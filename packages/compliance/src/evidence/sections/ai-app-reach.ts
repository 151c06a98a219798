import type { JsonObject } from '@tenantscope/proof';
import { type AiReach, readAiReach } from '@tenantscope/store/compliance';
import { findNewestStamp, type SectionReader } from '../section-reader.ts';
import { toAccountable } from '../values/accountable.ts';
import { toCount, toEnumValue, toIsoTime, toText } from '../values/reported-value.ts';

export const aiAppReach: SectionReader = {
  key: 'ai_app_reach',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiReach(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: findNewestStamp(rows) };
  },
};

function toRow(subject: AiReach): JsonObject {
  const { facts, subjectType } = subject;
  const [users, externalUsers] =
    subjectType === 'agent'
      ? [facts.userReachCount, facts.externalUserReachCount]
      : [facts.userCount, facts.externalUserCount];
  return {
    subjectType,
    subjectId: subject.subjectId,
    subjectName: subject.subjectName,
    reachBasis: toEnumValue(facts.reachBasis, ['permissions', 'observed', 'both'], null) ?? deriveBasis(subject),
    computedAt: toIsoTime(subject.computedMs),
    files: subject.files,
    sensitiveFiles: subject.sensitiveFiles,
    labeledFiles: subject.labeledFiles,
    protectedFiles: subject.protectedFiles,
    dataTypes: (subject.dataTypes ?? []).map(({ id, name, files }) => ({
      id: toText(id),
      name: toText(name),
      files: toCount(files),
    })),
    restrictedTypes: (subject.restrictedTypes ?? []).map(({ id, level }) => ({
      id: toText(id),
      level: toEnumValue(level, ['monitored', 'noAiAccess', 'noAccess'], null),
    })),
    sites: subject.sites,
    mailboxes: toCount(facts.mailboxReachCount),
    users: toCount(users),
    externalUsers: toCount(externalUsers),
    observedFiles: subject.observedFiles,
    accountable: toAccountable(subject),
  };
}

/** The basis where it is not reported: permissions if the number of files is known, observed if opened files were seen. */
function deriveBasis({ files, observedFiles }: AiReach): string {
  if (files === null) return 'observed';
  return observedFiles > 0 ? 'both' : 'permissions';
}
