import type { JsonObject } from '@tenantscope/proof';
import { type AiReach, readAiReach } from '@tenantscope/store';
import { accountableOf } from './accountable.ts';
import { newestOf, type SectionReader } from './section.ts';
import { toldCount, toldText, toldTime, toldWord } from './told-value.ts';

export const aiAppReach: SectionReader = {
  key: 'ai_app_reach',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAiReach(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: newestOf(rows) };
  },
};

function rowOf(subject: AiReach): JsonObject {
  const { facts, subjectType } = subject;
  const [users, externalUsers] =
    subjectType === 'agent'
      ? [facts.userReachCount, facts.externalUserReachCount]
      : [facts.userCount, facts.externalUserCount];
  return {
    subjectType,
    subjectId: subject.subjectId,
    subjectName: subject.subjectName,
    reachBasis: toldWord(facts.reachBasis, ['permissions', 'observed', 'both'], null) ?? basisOf(subject),
    computedAt: toldTime(subject.computedMs),
    files: subject.files,
    sensitiveFiles: subject.sensitiveFiles,
    labeledFiles: subject.labeledFiles,
    protectedFiles: subject.protectedFiles,
    dataTypes: (subject.dataTypes ?? []).map(({ id, name, files }) => ({
      id: toldText(id),
      name: toldText(name),
      files: toldCount(files),
    })),
    restrictedTypes: (subject.restrictedTypes ?? []).map(({ id, level }) => ({
      id: toldText(id),
      level: toldWord(level, ['monitored', 'noAiAccess', 'noAccess'], null),
    })),
    sites: subject.sites,
    mailboxes: toldCount(facts.mailboxReachCount),
    users: toldCount(users),
    externalUsers: toldCount(externalUsers),
    observedFiles: subject.observedFiles,
    accountable: accountableOf(subject),
  };
}

/** Where nobody said it: from permissions as far as a count of files is known, observed as far as files were seen opened. */
function basisOf({ files, observedFiles }: AiReach): string {
  if (files === null) return 'observed';
  return observedFiles > 0 ? 'both' : 'permissions';
}
