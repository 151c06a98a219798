import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';
import { openFeedsTable } from './feeds-table.ts';
import { type Stage, startStage } from './stage.ts';
import type { WindowOptions } from './window.ts';

const chromium = await findChromium();

const reason =
  'rejects the login (SASL PLAIN authentication failed: Invalid username or password); check TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_SASL_MECHANISM, TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_SASL_USERNAME and TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_SASL_PASSWORD_FILE';
const halt = 'the batch at offsets 120 to 129 cannot be decoded: its zstd content is larger than 33554432 bytes';

describe.skipIf(chromium === null)('source bindings in a browser', { tags: ['browser'] }, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await startStage(chromium ?? '');
    const [first = '', second = ''] = on.tenantIds;
    const bindings = [
      ['okta.raw', 'main', 'okta.system-log', first],
      ['shipper.logs.of-a-collector-with-a-long-name.production.v1', 'main', 'o365.management-activity', second],
      ['entra-signins', 'event-hubs', 'entra.signin.azuremonitor', first],
      ['defender', 'event-hubs', 'm365d.advanced-hunting', first],
    ] as const;
    for (const [topic, cluster, format, tenantId] of bindings)
      await on.product.admin.bindings.create({ topic, cluster, format, tenantId, tenantPath: null });
    const { superuser } = on.product;
    await superuser.query(
      `update control.source_binding set checked_at = clock_timestamp(), problem = case topic when 'entra-signins' then $1 end where topic <> 'defender'`,
      [reason],
    );
    await superuser.query(
      `insert into models.ingest_lane (cluster_id, cluster, topic_id, partition, topic, source, next_offset, settled_at, written_at, state, reason, opened)
       select 'of-' || b.cluster, b.cluster, b.id, 0, b.topic, 'raw.activity.v1', 1234567, clock_timestamp(), clock_timestamp() - interval '3 minutes',
              case when b.topic like 'shipper%' then 'stopped' else 'running' end, case when b.topic like 'shipper%' then $1 end, true
         from control.source_binding b where b.cluster = 'main'`,
      [halt],
    );
  });
  afterAll(async () => on?.[Symbol.asyncDispose]());

  const variants: [string, WindowOptions, string][] = [
    ['light', {}, 'Source bindings'],
    ['1024-dark-polish', { width: 1024, height: 768, theme: 'dark', language: 'pl' }, 'Powiązania źródeł'],
    ['720', { width: 720, height: 450 }, 'Source bindings'],
    ['390', { width: 390, height: 844 }, 'Source bindings'],
  ];
  test.each(variants)(
    'each binding is shown with its state and the reason, without accessibility violations: %s',
    { timeout: 60_000 },
    async (name, options, title) => {
      await using window = await on.open('viewer', options);
      const { table, texts } = await openFeedsTable(window, title, 4);
      expect(texts.map((text) => text.includes('event-hubs'))).toEqual([false, false, true, true]);
      expect(texts[1]).toContain(halt);
      expect(texts[3]).toContain(reason);
      expect(texts[0]).toContain('Contoso Ltd');
      // Nothing is truncated: each reason is as wide as its cell.
      const truncated = await window.page.evaluate(
        "[...document.querySelectorAll('.bindings .small')].filter((one) => one.scrollWidth > one.parentElement.clientWidth).length",
      );
      expect(truncated).toBe(0);
      await table.scrollIntoViewIfNeeded();
      await window.checkScreen(`bindings-${name}`);
    },
  );
});
