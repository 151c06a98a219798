export { ApiError, type ApiErrorBody, type ApiErrorDetail, readErrorBody } from './api-error.ts';
export { type CursorFile, openCursorFile, type StoredRequest } from './cursor-file.ts';
export type * from './operations.ts';
export type { Page, Values } from './page.ts';
export { type Pagination, type PolledPage, type PollOptions, pollPages } from './poll-pages.ts';
export { type Difference, type Verification, type VerifyReceiptsOptions, verifyReceipts } from './receipts.ts';
export { createRequester, type Failure, type Requester, type RequesterOptions, RequestTimeout } from './requester.ts';
export {
  type CallOptions,
  createClient,
  type FollowOptions,
  followedRequest,
  type TypedClient,
} from './typed-client.ts';
