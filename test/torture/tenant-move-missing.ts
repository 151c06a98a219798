type Query<Cell> = (cell: Cell, text: string, values?: readonly unknown[]) => Promise<readonly object[]>;

const described = 20;

/** Where sent records are that the cell of their tenant has not: as rows of another one, or as dead letters; and the lanes, with the measured ends of their logs. */
export async function describeMissing<Cell extends string>(
  query: Query<Cell>,
  cells: readonly Cell[],
  tenantId: string,
  missing: readonly string[],
): Promise<string> {
  const lines: object[] = [];
  const find = async (text: string, values?: readonly string[]) => {
    for (const cell of cells) for (const found of await query(cell, text, values)) lines.push({ cell, ...found });
  };
  await find(
    `select lane.topic, lane.partition, lane.state, lane.next_offset::text as next, log.end_offset::text as end
       from models.ingest_lane lane left join models.lane_log log using (cluster_id, topic_id, partition)
      where lane.next_offset > 0 or log.end_offset > 0 order by 1, 2`,
  );
  for (const event of missing.slice(0, described)) {
    lines.push({ event });
    await find(
      'select id as row, discovered_at as at from models.audit_log where tenant_id = $1 and external_event_id = $2',
      [tenantId, event],
    );
    await find(
      `select d.state, d.reason, d.replays, d.dead_lettered_at as at, d.changed_at as changed, m.topic, m.partition, m."offset"::text
         from models.dead_letter d join models.dead_letter_message m on m.id = d.message_id
        where d.tenant_id = $1 and position(convert_to($2, 'UTF8') in m.value) > 0 order by d.dead_lettered_at`,
      [tenantId, event],
    );
  }
  return [`${missing.length} records are missing`, ...lines.map((line) => JSON.stringify(line))].join('\n');
}
