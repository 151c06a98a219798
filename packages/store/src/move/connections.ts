import type pg from 'pg';
import { connectOwner } from '../migration/owner-connection.ts';

/** The database of a cell and its owner's URL. */
export interface CellUrl {
  readonly cell: string;
  readonly owner: string;
}

/** Connections of the owner: no other login reads the rows of all tables, or copies them. */
export interface MoveConnections extends AsyncDisposable {
  readonly control: pg.Client;
  readonly source: pg.Client;
  readonly target: pg.Client;
  /** The cells of `source` and `target`. */
  readonly cells: readonly [source: string, target: string];
}

/** A move that cannot begin or go on; the message says what to do. */
export class MoveRefused extends Error {
  override name = 'MoveRefused';
}

export async function connectControl(url: string, actor: string): Promise<pg.Client> {
  const client = await connectOwner(url);
  await client.query("select set_config('tenantscope.actor', $1, false)", [actor]);
  return client;
}

/**
 * The owner's connection to the database of a cell, whose triggers let copied rows pass. Texts of rows are compared between databases, whatever their
 * settings are. Throws MoveRefused where the database is that of another cell.
 */
export async function connectCell({ cell, owner }: CellUrl, actor: string): Promise<pg.Client> {
  const client = await connectControl(owner, actor);
  try {
    await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'; set extra_float_digits = 1;
                        set tenantscope.moving = 'on'; set statement_timeout = 0`);
    const { rows } = await client.query<{ found: string }>(
      'select models.own_cell() as found, models.require_open_epoch()',
    );
    if (rows[0]?.found !== cell)
      throw new MoveRefused(`the database of the cell ${cell} is that of the cell ${rows[0]?.found}`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

export async function connectMove(
  urls: { readonly control: string; readonly source: CellUrl; readonly target: CellUrl },
  actor: string,
): Promise<MoveConnections> {
  await using stack = new AsyncDisposableStack();
  const own = (client: pg.Client) => stack.adopt(client, (opened) => opened.end());
  const control = own(await connectControl(urls.control, actor));
  const source = own(await connectCell(urls.source, actor));
  const target = own(await connectCell(urls.target, actor));
  const all = stack.move();
  const cells = [urls.source.cell, urls.target.cell] as const;
  return { control, source, target, cells, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
