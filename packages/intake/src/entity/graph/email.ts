import { timeOf } from '../../field/time.ts';
import { booleanOf, listOf, objectOf, textOf } from '../../json/value.ts';
import { bareMessageId } from '../aliases.ts';
import { emailId } from '../email-id.ts';
import { moment, type SourceFormat, sourceObject } from '../source-object.ts';

/** A message by its Message-ID, the same in every mailbox. Its body and preview stay where they are. */
export const graphMessage: SourceFormat = (record) => {
  const messageId = textOf(record.internetMessageId);
  const recipients = [record.toRecipients, record.ccRecipients, record.bccRecipients].flatMap((list) =>
    listOf(list).map((entry) => textOf(objectOf(objectOf(entry).emailAddress).address)),
  );
  return [
    sourceObject(record, {
      kind: 'email',
      id: messageId === null ? null : emailId(messageId),
      modifiedAtMs: timeOf(record.lastModifiedDateTime),
      names: [messageId, bareMessageId(messageId), textOf(record.id)],
      facts: {
        internetMessageId: messageId,
        subject: textOf(record.subject),
        senderAddress: textOf(objectOf(objectOf(record.from ?? record.sender).emailAddress).address),
        recipientCount: record.toRecipients === undefined ? null : recipients.length,
        recipients: record.toRecipients === undefined ? null : recipients,
        sentAt: moment(record.sentDateTime),
        receivedAt: moment(record.receivedDateTime),
        attachmentCount: booleanOf(record.hasAttachments) === false ? 0 : null,
        createdAt: moment(record.createdDateTime),
      },
    }),
  ];
};
