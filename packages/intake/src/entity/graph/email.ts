import { firstAddress } from '../../field/address.ts';
import { toEpochMs } from '../../field/time.ts';
import { firstText, toBoolean, toList, toObject, toText } from '../../json/value.ts';
import { normaliseMessageId } from '../aliases.ts';
import { computeEmailId } from '../email-id.ts';
import { type SourceReader, sourceObject, toServedTime } from '../source-object.ts';

/** A message by its Message-ID, the same in every mailbox. Its body and preview are not read. */
export const graphMessage: SourceReader = (record) => {
  const messageId = toText(record.internetMessageId);
  const recipients = [record.toRecipients, record.ccRecipients, record.bccRecipients].flatMap((list) =>
    toList(list).map((entry) => toText(toObject(toObject(entry).emailAddress).address)),
  );
  return [
    sourceObject(record, {
      kind: 'email',
      id: messageId === null ? null : computeEmailId(messageId),
      modifiedAtMs: toEpochMs(record.lastModifiedDateTime),
      names: [messageId, normaliseMessageId(messageId), toText(record.id)],
      facts: {
        internetMessageId: messageId,
        subject: toText(record.subject),
        senderAddress: toText(toObject(toObject(record.from ?? record.sender).emailAddress).address),
        recipientCount: record.toRecipients === undefined ? null : recipients.length,
        recipients: record.toRecipients === undefined ? null : recipients,
        sentAt: toServedTime(record.sentDateTime),
        receivedAt: toServedTime(record.receivedDateTime),
        attachmentCount: toBoolean(record.hasAttachments) === false ? 0 : null,
        createdAt: toServedTime(record.createdDateTime),
      },
    }),
  ];
};

/**
 * A message trace of Exchange: one record per recipient of a message, so that neither the recipients nor their number are
 * known from it. Records of one message have the same time; the last received wins.
 */
export const exchangeMessageTrace: SourceReader = (record) => {
  const messageId = firstText(record.MessageId, record.messageId);
  const received = record.Received ?? record.receivedDateTime;
  return [
    sourceObject(record, {
      kind: 'email',
      id: messageId === null ? null : computeEmailId(messageId),
      modifiedAtMs: toEpochMs(received),
      names: [messageId, normaliseMessageId(messageId), firstText(record.MessageTraceId, record.id)],
      facts: {
        internetMessageId: messageId,
        networkMessageId: firstText(record.MessageTraceId, record.id),
        subject: firstText(record.Subject, record.subject),
        senderAddress: firstText(record.SenderAddress, record.senderAddress),
        senderIp: firstAddress(record.FromIP, record.fromIP),
        receivedAt: toServedTime(received),
        deliveryAction: firstText(record.Status, record.status),
      },
    }),
  ];
};
