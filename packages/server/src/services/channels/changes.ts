import { AppError, type ChannelInput, channelStatus } from '@tollgate/contract';
import { seconds } from '../../lib/clock.ts';
import { abilities as abilityRows, channels as channelRows, type Db } from '../../store/index.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { splitKeys } from './keys.ts';
import { findOrFail } from './queries.ts';
import { abilitiesOf, changedColumns, newRow, type NewChannelRow } from './rows.ts';
import type { Channels } from './service.ts';
import { showChannel } from './view.ts';
import type { ChannelRow } from './types.ts';

/** The calls that change channels one by one or by their ids. */
export function channelChanges(
  deps: ChannelsDeps,
): Pick<Channels, 'create' | 'update' | 'copy' | 'remove' | 'removeDisabled' | 'fix'> {
  return {
    async create(input) {
      const rows = newRows(deps, input);
      const made = await changing(deps, (db) => insertAll(db, rows));
      return made.map((row) => showChannel(row, deps.sealer));
    },
    async update(change) {
      const saved = await changing(deps, async (db) => {
        const row = await channelRows.findLocked(db, change.id);
        if (!row) throw new AppError('channel_not_found');
        return saveColumns(db, row, changedColumns(row, change, deps));
      });
      return showChannel(saved, deps.sealer);
    },
    async copy(id, { suffix, resetBalance }) {
      const row = await findOrFail(deps, id);
      const [made] = await changing(deps, (db) => insertAll(db, [copyOf(deps, row, suffix, resetBalance)]));
      return made!.id;
    },
    remove: (ids) => changing(deps, (db) => removeAll(db, ids)),
    removeDisabled: () =>
      changing(deps, async (db) => {
        const off = [channelStatus.disabled, channelStatus.autoDisabled];
        return removeAll(db, await channelRows.idsWithStatus(db, off));
      }),
    fix: () =>
      changing(deps, async (db) => {
        const rows = await channelRows.all(db);
        await abilityRows.removeAll(db);
        await abilityRows.insert(db, rows.flatMap(abilitiesOf));
        return rows.length;
      }),
  };
}

function newRows(deps: ChannelsDeps, input: ChannelInput): NewChannelRow[] {
  const keys = splitKeys(input.type, input.key);
  if (keys.length === 0) throw new AppError('channel_incomplete');
  const context = { types: deps.types, sealer: deps.sealer, now: seconds(deps.clock) };
  return keys.map((key) => newRow(input, key, context));
}

async function insertAll(db: Db, rows: readonly NewChannelRow[]): Promise<ChannelRow[]> {
  const made: ChannelRow[] = [];
  for (const row of rows) {
    const saved = { ...row, id: await channelRows.create(db, row) };
    await abilityRows.insert(db, abilitiesOf(saved));
    made.push(saved);
  }
  return made;
}

/** Columns whose change shows in the abilities. */
const abilityColumns = ['models', 'group', 'status', 'priority', 'weight', 'tag'] as const;

/** Writes columns and, where they show there, the abilities. Answers the row as it is now. */
export async function saveColumns(
  db: Db,
  row: ChannelRow,
  columns: Parameters<typeof channelRows.update>[2],
): Promise<ChannelRow> {
  if (Object.keys(columns).length === 0) return row;
  await channelRows.update(db, row.id, columns);
  const saved = { ...row, ...columns };
  if (abilityColumns.some((name) => saved[name] !== row[name])) {
    await abilityRows.replaceOf(db, row.id, abilitiesOf(saved));
  }
  return saved;
}

async function removeAll(db: Db, ids: readonly number[]): Promise<number> {
  await abilityRows.removeOf(db, ids);
  return channelRows.remove(db, ids);
}

function copyOf(deps: ChannelsDeps, row: ChannelRow, suffix: string, resetBalance: boolean): NewChannelRow {
  const { id: _id, ...columns } = row;
  return {
    ...columns,
    name: `${row.name}${suffix}`.slice(0, 100),
    // A copy starts its own history; why the original was switched off is not its story.
    status: row.status === channelStatus.enabled ? channelStatus.enabled : channelStatus.disabled,
    other_info: '',
    created_time: seconds(deps.clock),
    test_time: 0,
    response_time: 0,
    used_quota: 0,
    ...(resetBalance && { balance: 0, balance_updated_time: 0 }),
  };
}
