import {
  AppError,
  type ChannelData,
  type ChannelDraft,
  type ChannelInput,
  channelStatus,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { channelKeys, channels as channelRows, type Db } from '../../../store/index.ts';
import type { ChannelsDeps } from './deps.ts';
import { openHeaderSecrets } from './header-secrets.ts';
import { keysOf, openKey } from './keys.ts';
import { parseChannel, withKeys } from './parse.ts';
import type { Channels } from './service.ts';
import { openProxyPassword } from './proxy-password.ts';
import { changedColumns, newRow } from './rows.ts';
import type { ChannelRow, ChannelSecrets, RoutedChannel } from './types.ts';
import { showChannel } from './view.ts';

/** Calls that only read. */
export function channelQueries(
  deps: ChannelsDeps,
): Pick<Channels, 'list' | 'search' | 'get' | 'load' | 'loadAll' | 'draft'> {
  const { db, sealer } = deps;
  const show = (rows: readonly ChannelRow[]): ChannelData[] => rows.map((row) => showChannel(row, sealer));
  return {
    async list({ page, pageSize, byId, byTag, sort }) {
      const slice = { offset: page * pageSize, limit: pageSize };
      if (byTag) {
        const { tags, total } = await channelRows.tags(db, slice);
        return { items: show(await channelRows.ofTags(db, tags, byId)), total };
      }
      const { rows, total } = await channelRows.list(db, { byId, sort, ...slice });
      return { items: show(rows), total };
    },
    async search({ keyword, group, model, status = 0, byId, byTag, sort }) {
      const text = keyword.trim();
      const found = await channelRows.search(db, {
        keyword: text,
        keyHash: sha256(text),
        group: group === 'null' ? '' : group,
        model,
        status,
        byId,
        sort,
      });
      if (!byTag) return show(found);
      const tags = [...new Set(found.flatMap(({ tag }) => tag ?? []))];
      return show(await channelRows.ofTags(db, tags, byId));
    },
    get: async (id) => showChannel(await findOrFail(deps, id), sealer),
    async load(id) {
      const row = await channelRows.find(db, id);
      if (!row) return undefined;
      try {
        return parse(deps, row, openSecrets(deps, row), await readStates(db, row));
      } catch (cause) {
        throw new AppError('channel_key_unreadable', {}, cause);
      }
    },
    draft: async (form) =>
      form.id === undefined
        ? newDraft(deps, form)
        : changedDraft(deps, await findOrFail(deps, form.id), form),
    async loadAll() {
      const all = await channelRows.all(db);
      const hasSeveral = all.some(({ multi_key_mode: mode }) => mode !== '');
      const states = Map.groupBy(hasSeveral ? await channelKeys.all(db) : [], (key) => key.channel_id);
      return all.map((row) => parseOrDisable(deps, row, states.get(row.id) ?? []));
    },
  };
}

/** A channel's row; throws AppError channel_not_found. */
export async function findOrFail(deps: ChannelsDeps, id: number): Promise<ChannelRow> {
  const row = await channelRows.find(deps.db, id);
  if (!row) throw new AppError('channel_not_found');
  return row;
}

/** The decrypted secrets of a row. Throws if they were encrypted with another master key, or for another channel. */
export const openSecrets = ({ sealer }: Pick<ChannelsDeps, 'sealer'>, row: ChannelRow): ChannelSecrets => ({
  key: openKey(sealer, row),
  proxyPassword: openProxyPassword(sealer, row),
  headerSecrets: openHeaderSecrets(sealer, row),
});

/** The states of the keys of a channel with several keys. */
const readStates = async (db: Db, row: ChannelRow): Promise<channelKeys.ChannelKeyRow[]> =>
  row.multi_key_mode === '' ? [] : channelKeys.ofChannel(db, row.id);

function parse(
  deps: ChannelsDeps,
  row: ChannelRow,
  secrets: ChannelSecrets,
  states: readonly channelKeys.ChannelKeyRow[] = [],
): RoutedChannel {
  const routed = parseChannel(row, {
    ...secrets,
    defaultBaseUrl: deps.types.defaultBaseUrl(row.type) ?? '',
    onDamage: (field) => deps.log.warn({ channel: row.id, field }, 'a channel field is not a JSON object'),
  });
  return withKeys(routed, row.multi_key_mode, states);
}

/** The channel that the first key of a form would create. */
function newDraft(deps: ChannelsDeps, form: ChannelInput): RoutedChannel {
  const [key = ''] = keysOf(form);
  const { row, setting, headers } = newRow({ ...form, multi_key_mode: null }, key, {
    types: deps.types,
    now: seconds(deps.clock),
  });
  const plain = { ...row, setting, header_override: headers, id: 0 };
  return parse(deps, plain, { key, proxyPassword: '', headerSecrets: {} });
}

/** A channel with the changes of a form. A stored key is only sent to its present destination. */
async function changedDraft(
  deps: ChannelsDeps,
  row: ChannelRow,
  { id: _id, ...form }: ChannelDraft,
): Promise<RoutedChannel> {
  const changed = { ...row, ...changedColumns(row, { ...form, id: row.id }, deps) };
  return parse(deps, changed, openSecrets(deps, changed), await readStates(deps.db, changed));
}

/**
 * A channel with a key that cannot be decrypted must not affect others: it counts as disabled until it gets a new key.
 */
function parseOrDisable(
  deps: ChannelsDeps,
  row: ChannelRow,
  states: readonly channelKeys.ChannelKeyRow[],
): RoutedChannel {
  try {
    return parse(deps, row, openSecrets(deps, row), states);
  } catch (cause) {
    deps.log.error({ channel: row.id, err: cause }, 'the key of a channel cannot be decrypted');
    return {
      ...parse(deps, row, { key: '', proxyPassword: '', headerSecrets: {} }),
      status: channelStatus.autoDisabled,
    };
  }
}
