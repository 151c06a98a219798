export { digestDay } from './day-digest.ts';
export {
  insertLogReceipt,
  type LogReceiptEnd,
  readLogReceiptEnd,
  readLogSettled,
} from './receipt-chain.ts';
