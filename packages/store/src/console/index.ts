export { encodeBytes } from '../admin/encoded-bytes.ts';
export { maxReplays } from '../ingest/lane/dead-letter-requests.ts';
export type { SourceState } from '../source/source-states.ts';
export { adminEvent, type ChainPosition, findChainFault } from './audit-chain.ts';
export type { PlaygroundRun } from './audit-events.ts';
export type { AdminEvent, AuditPeriod, AuditQuery } from './audit-log.ts';
export type { AuditContext, AuditedTransaction } from './audited-transaction.ts';
export { type ConsoleStore, connectConsole } from './console-store.ts';
export type { NewCredential, NewPasskey, Passkey } from './credentials.ts';
export {
  type ConsoleDeadLetter,
  type ConsoleDeadLetterRequest,
  type DeadLetterPosition,
  type DeadLetterQuery,
  type DeadLetterState,
  deadLetterStates,
  type VisibilityScope,
} from './dead-letters.ts';
export type { FeedLane, FeedMinute, FeedReport } from './feeds.ts';
export { type KeyUsageDetail, keyTestAgent, type ListedKey, type UsageBucket } from './key-usage.ts';
export { type ListedMember, type Member, type MemberInput, type Role, roles } from './members.ts';
export { maxSessionHours } from './session-limits.ts';
export type { ListedSession, Session } from './sessions.ts';
export type { AttemptBucket, Credential } from './sign-ins.ts';
export type { TenantBinding } from './source-bindings.ts';
