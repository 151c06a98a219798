/** Why a batch cannot be decoded by this version with its settings, as the end of a sentence about the batch. */
export class BatchError extends Error {
  override name = 'BatchError';
}

/** Content has more bytes than the bound that was passed. */
export class ContentTooLarge extends Error {
  override name = 'ContentTooLarge';
}
