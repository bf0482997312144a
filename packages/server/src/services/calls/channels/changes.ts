import { AppError, type ChannelInput, channelStatus, testOutcome } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import {
  abilities as abilityRows,
  channelKeys,
  channels as channelRows,
  type Db,
} from '../../../store/index.ts';
import { differences } from '../../site/audit/index.ts';
import { changing, type ChannelsDeps, targetOf } from './deps.ts';
import { maskedHeaders, withHeaderSecrets } from './header-secrets.ts';
import { joinKeys, keysOf } from './keys.ts';
import { afterKeyChange } from './multi-key.ts';
import { withoutCredentials } from './parse.ts';
import { checkMembers } from './members.ts';
import { maskedSetting, withProxyPassword } from './proxy-password.ts';
import { findOrFail, openSecrets } from './queries.ts';
import {
  abilitiesOf,
  changedColumns,
  type Draft,
  newRow,
  type NewChannelRow,
  secretColumns,
} from './rows.ts';
import type { Channels } from './service.ts';
import { showChannel } from './view.ts';
import type { ChannelRow, ChannelSecrets } from './types.ts';

/** Calls that change channels one by one or by their ids. */
export function channelChanges(
  deps: ChannelsDeps,
): Pick<Channels, 'create' | 'update' | 'copy' | 'remove' | 'removeDisabled' | 'fix'> {
  return {
    async create(input) {
      const rows = newDrafts(deps, input);
      const made = await changing(deps, (db) => insertAll(deps, db, rows));
      return made.map((row) => showChannel(row, deps.sealer));
    },
    async update(change) {
      const saved = await changing(deps, async (db, inside) => {
        const row = await channelRows.findLocked(db, change.id);
        if (!row) throw new AppError('channel_not_found');
        const saved = await saveColumns(deps, db, row, changedColumns(row, change, deps));
        await afterKeyChange(inside, db, row, saved);
        return saved;
      });
      return showChannel(saved, deps.sealer);
    },
    async copy(id, { suffix, resetBalance }) {
      const row = await findOrFail(deps, id);
      const [made] = await changing(deps, (db) =>
        insertAll(deps, db, [copyOf(deps, row, suffix, resetBalance)]),
      );
      return made!.id;
    },
    remove: (ids) => changing(deps, (db) => removeAll(deps, db, ids)),
    removeDisabled: () =>
      changing(deps, async (db) => {
        const off = [channelStatus.disabled, channelStatus.autoDisabled];
        return removeAll(deps, db, await channelRows.idsWithStatus(db, off));
      }),
    fix: () =>
      changing(deps, async (db) => {
        const rows = await channelRows.all(db);
        await abilityRows.removeAll(db);
        await abilityRows.insert(db, rows.flatMap(abilitiesOf));
        await deps.audit.record(db, { note: { channels: rows.length } });
        return rows.length;
      }),
  };
}

function newDrafts(deps: ChannelsDeps, { mode, ...input }: ChannelInput): Draft[] {
  const keys = keysOf(input);
  if (mode === 'single' && keys.length > 1) throw new AppError('channel_single_key');
  const context = { types: deps.types, now: seconds(deps.clock) };
  if (mode !== 'multi_to_single')
    return keys.map((key) => newRow({ ...input, multi_key_mode: null }, key, context));
  const several = { ...input, multi_key_mode: input.multi_key_mode ?? ('random' as const) };
  return [newRow(several, joinKeys(input.type, keys), context)];
}

async function insertAll(
  { sealer, audit }: ChannelsDeps,
  db: Db,
  drafts: readonly Draft[],
): Promise<ChannelRow[]> {
  const made: ChannelRow[] = [];
  for (const draft of drafts) {
    const id = await channelRows.create(db, draft.row);
    const secrets = secretColumns(sealer, id, draft);
    await channelRows.update(db, id, secrets);
    const saved = { ...draft.row, ...secrets, id };
    await abilityRows.insert(db, abilitiesOf(saved));
    await audit.record(db, { target: targetOf(saved) });
    made.push(saved);
  }
  return made;
}

/** Columns that affect the abilities. */
const abilityColumns = ['models', 'group', 'status', 'priority', 'weight', 'tag'] as const;

/** Writes columns and, if they affect them, the abilities. Returns the updated row. */
export async function saveColumns(
  { audit }: Pick<ChannelsDeps, 'audit'>,
  db: Db,
  row: ChannelRow,
  columns: Parameters<typeof channelRows.update>[2],
): Promise<ChannelRow> {
  const changes = differences(readable(row), readable(columns));
  await audit.record(db, { target: targetOf(row), changes });
  if (Object.keys(columns).length === 0) return row;
  await channelRows.update(db, row.id, columns);
  const saved = { ...row, ...columns };
  if (abilityColumns.some((name) => saved[name] !== row[name])) {
    await abilityRows.replaceOf(db, row.id, abilitiesOf(saved));
  }
  return saved;
}

/** Columns in readable form: the proxy's password in `setting` and headers with secrets are masked. */
const readable = <
  Columns extends {
    setting?: string | undefined;
    base_url?: string | undefined;
    header_override?: string | undefined;
    header_secrets_sealed?: string | null | undefined;
  },
>({
  header_secrets_sealed: _sealed,
  ...columns
}: Columns): Omit<Columns, 'header_secrets_sealed'> => ({
  ...columns,
  ...(columns.setting !== undefined && { setting: maskedSetting(columns.setting) }),
  ...(columns.base_url !== undefined && { base_url: withoutCredentials(columns.base_url) }),
  ...(columns.header_override !== undefined && { header_override: maskedHeaders(columns.header_override) }),
});

async function removeAll({ audit }: ChannelsDeps, db: Db, ids: readonly number[]): Promise<number> {
  for (const row of await channelRows.findLabels(db, ids)) await audit.record(db, { target: targetOf(row) });
  await abilityRows.removeOf(db, ids);
  await channelKeys.removeOf(db, ids);
  return channelRows.remove(db, ids);
}

function copyOf(deps: ChannelsDeps, row: ChannelRow, suffix: string, resetBalance: boolean): Draft {
  if (deps.types.isClosed(row.type)) throw new AppError('channel_type_closed');
  const { id: _id, ...columns } = row;
  const { key, proxyPassword, headerSecrets } = openForCopy(deps, row);
  const headers = withHeaderSecrets(row.header_override, headerSecrets);
  checkMembers({ ...row, setting: maskedSetting(row.setting), header_override: headers });
  const copy: NewChannelRow = {
    ...columns,
    key_sealed: '',
    key_hash: '',
    setting: '',
    header_override: '',
    header_secrets_sealed: null,
    base_url: withoutCredentials(row.base_url),
    name: `${row.name}${suffix}`.slice(0, 100),
    // A copy starts its own history; the reason for disabling the original does not apply to it.
    status: row.status === channelStatus.enabled ? channelStatus.enabled : channelStatus.disabled,
    other_info: '',
    created_time: seconds(deps.clock),
    test_time: 0,
    response_time: 0,
    test_outcome: testOutcome.unknown,
    test_failure: null,
    used_quota: 0,
    ...(resetBalance && { balance: 0, balance_updated_time: 0 }),
  };
  return { row: copy, setting: withProxyPassword(row.setting, proxyPassword), headers, key };
}

/** Secrets are encrypted for one channel, so those of a copy are encrypted again. Throws `channel_key_unreadable`. */
function openForCopy(deps: ChannelsDeps, row: ChannelRow): ChannelSecrets {
  try {
    return openSecrets(deps, row);
  } catch (cause) {
    throw new AppError('channel_key_unreadable', {}, cause);
  }
}
