import { expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { notificationRecord, recordMessage } from '../installation/feed-records.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

const { installation, broker, inspector, topic } = await startIngestInstallation();

/** Cancels statements that insert more than 50 rows, as the time limit of the server does. */
const limitRows = (table: string, name: string) =>
  inspector.client.query(
    `create function models.${name}() returns trigger language plpgsql as $$
     begin
       if (select count(*) from inserted) > 50 then
         raise exception 'canceling statement due to statement timeout' using errcode = '57014';
       end if;
       return null;
     end $$;
     create trigger ${name} after insert on models.${table} referencing new table as inserted
       for each statement execute function models.${name}()`,
  );

test('a batch whose statements exceed their time is written in halves', async () => {
  const { id } = await installation.createTenant();
  await limitRows('notification', 'limit_notifications');
  await limitRows('dead_letter', 'limit_dead_letters');
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const notifications = numbers.map((number) => recordMessage('notification.upserted', notificationRecord(id, number)));
  const rejected = numbers.map((number) => activityMessage(id, activityRecord(number, { Operation: null })));
  await broker.append(topic.replace('raw.activity', 'notification'), 0, notifications);
  await broker.append(topic, 0, [...rejected, activityMessage(id, activityRecord(200))]);
  const count = async (table: string) =>
    (await inspector.client.query(`select from models.${table} where tenant_id = $1`, [id])).rowCount;
  await eventually('all notifications are rows', 30_000, async () => (await count('notification')) === 200);
  await eventually('all rejected records are dead letters', 30_000, async () => (await count('dead_letter')) === 200);
  expect(await inspector.rowCount(id)).toBe(1);
});
