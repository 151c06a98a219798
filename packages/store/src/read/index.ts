export { actions } from '../resource/action.ts';
export { detections } from '../resource/detection.ts';
export { agents } from '../resource/entity/agent.ts';
export { apps } from '../resource/entity/app.ts';
export { devices } from '../resource/entity/device.ts';
export { emails } from '../resource/entity/email.ts';
export { files } from '../resource/entity/file.ts';
export { groups } from '../resource/entity/group.ts';
export { licenses } from '../resource/entity/license.ts';
export { sensitiveInfoTypes } from '../resource/entity/sensitive-info-type.ts';
export { sites } from '../resource/entity/site.ts';
export { users } from '../resource/entity/user.ts';
export { notifications } from '../resource/notification.ts';
export { policyScans } from '../resource/policy-scan.ts';
export type { Resource } from '../resource/resource.ts';
export { securityAlerts } from '../resource/security-alert.ts';
export type { LogsPage } from './document-frame.ts';
export { type FeedFacts, readFeedFacts } from './feed-facts.ts';
export type { SealedBody } from './gzip-pieces.ts';
export { blockSearchStatement } from './log-block-search.ts';
export { readLogsPage } from './log-page.ts';
export {
  type LogsFilterValues,
  type LogsPageQuery,
  logFilterColumns,
  logsPageStatement,
} from './log-page-statement.ts';
export { readLogReceipts } from './log-receipts.ts';
export { identityStatement, type LogRecord, logRecordStatement, readLogRecord } from './log-record.ts';
export {
  type LogSummaryCounts,
  type LogSummaryGroup,
  type LogSummaryQuery,
  readLogSummary,
} from './log-summary.ts';
export { logWindowStatements } from './log-window-statement.ts';
export { readNewestStamp } from './newest-stamp.ts';
export { feedKey, readNewestStamps, type TenantFeed } from './newest-stamps.ts';
export { readPrincipalNames } from './principal-names.ts';
export { connectReadModels, openReadModels, type ReadModels, verifyCell } from './read-models.ts';
export { type PagePosition, type RecordPage, type RowPosition, readRecord, readRecordPage } from './record-page.ts';
export { findReplicaProblem, readServerStart } from './replica-check.ts';
export { readSnapshotPage, snapshotPageStatement } from './snapshot-page.ts';
export { type FeedHistory, type Watermark, watchWatermark } from './watermark.ts';
export type { WatermarkBounds } from './watermark-bounds.ts';
