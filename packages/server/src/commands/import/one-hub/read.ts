import type { JsonObject } from '../../../lib/json.ts';
import { isObject, textOf } from '../../../lib/json.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';
import { type Cells, readCells } from '../kit/cells.ts';
import { type Translated, viewOf } from '../kit/translated.ts';
import { groupOptions, readPrices } from './prices.ts';

/** Numbers of vendors there, with their type and usual address here; 0 is no type. All others stay what they are. */
const types: Readonly<Record<number, { type: number; baseUrl?: string }>> = {
  2: { type: 1, baseUrl: 'https://oa.api2d.net' },
  4: { type: 1, baseUrl: 'https://api.closeai-proxy.xyz' },
  5: { type: 1, baseUrl: 'https://api.openai-sb.com' },
  8: { type: 1 },
  16: { type: 26 },
  24: { type: 0 },
  25: { type: 24 },
  26: { type: 1, baseUrl: 'https://api.baichuan-ai.com' },
  27: { type: 35 },
  28: { type: 43 },
  29: { type: 25 },
  30: { type: 42 },
  31: { type: 1, baseUrl: 'https://api.groq.com/openai' },
  32: { type: 33 },
  33: { type: 31 },
  34: { type: 2 },
  35: { type: 39 },
  36: { type: 34 },
  39: { type: 4 },
  41: { type: 36 },
  42: { type: 41 },
  45: { type: 40 },
  47: { type: 38 },
  53: { type: 50 },
  56: { type: 48 },
};
const lastSame = 23;

/** Options that have another name here. */
const optionNames: Readonly<Record<string, string>> = {
  OIDCAuthEnabled: 'oidc.enabled',
  OIDCClientId: 'oidc.client_id',
  OIDCClientSecret: 'oidc.client_secret',
  LinuxDoOAuthEnabled: 'LinuxDOOAuthEnabled',
  LinuxDoClientId: 'LinuxDOClientId',
  LinuxDoClientSecret: 'LinuxDOClientSecret',
};

/**
 * Reads a database of one-hub or done-hub. Both are descendants of one-api with other numbers of vendors, a table of
 * prices and one of groups. Keys are stored whole: what they are signed with is not needed.
 */
export async function readOneHub(foreign: ForeignDatabase): Promise<Translated> {
  const read = async (table: string): Promise<{ row: ForeignRow; cells: Cells }[]> =>
    (await foreign.all(table, [...(foreign.tables.get(table) ?? [])])).map((row) => ({
      row,
      cells: readCells(row, table),
    }));
  const users = (await read('users')).map(({ row, cells }): ForeignRow => {
    const numberOf = (column: string): string => (cells.text(column) === '0' ? '' : cells.text(column));
    return {
      ...row,
      created_at: cells.whole('created_time'),
      // A number is a proof, a name is not.
      github_id: numberOf('github_id_new') || cells.text('github_id'),
      telegram_id: numberOf('telegram_id'),
      linux_do_id: numberOf('linuxdo_id') || numberOf('linux_do_id'),
    };
  });
  let backups = 0;
  const tokens = (await read('tokens')).map(({ row, cells }): ForeignRow => {
    if (cells.text('backup_group') !== '') backups += 1;
    const limits = memberOf(cells.json('setting'), 'limits');
    const models = memberOf(limits, 'limit_model_setting');
    const addresses = memberOf(limits, 'limits_ip_setting');
    return {
      ...row,
      key_hash: null,
      model_limits_enabled: models.enabled === true,
      model_limits: listIn(models.models).join(','),
      allow_ips: addresses.enabled === true ? listIn(addresses.whitelist).join('\n') : '',
    };
  });
  const channels = (await read('channels'))
    .filter(({ cells }) => cells.date('deleted_at') === null)
    .map(({ row, cells }) => channelOf(row, cells));
  const models = new Set(
    channels.flatMap((row) => {
      const cells = readCells(row, 'channels');
      return [...cells.text('models').split(','), ...Object.values(cells.json('model_mapping')).map(textOf)];
    }),
  );
  const { tables, notes } = await readPrices(foreign, models);
  const options = new Map(
    (await read('options')).map(({ cells }) => [cells.text('key'), cells.text('value')]),
  );
  const issuer = options.get('OIDCIssuer') ?? '';
  const all: Record<string, string> = {
    ...Object.fromEntries([...options].map(([key, value]) => [optionNames[key] ?? key, value])),
    ...(issuer !== '' && {
      'oidc.well_known': `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
    }),
    ...groupOptions((await read('user_groups')).map(({ row }) => row)),
    ...Object.fromEntries(Object.entries(tables).map(([key, table]) => [key, JSON.stringify(table)])),
  };
  const left = await Promise.all(
    ['orders', 'payments', 'statistics', 'statistics_months', 'model_ownedby'].map(
      async (table) => [table, await foreign.count(table)] as const,
    ),
  );
  return {
    view: {
      ...viewOf(foreign.kind, {
        users,
        tokens,
        channels,
        redemptions: (await read('redemptions')).map(({ row }) => row),
        options: Object.entries(all).map(([key, value]) => ({ key, value })),
      }),
      count: (table) => foreign.count(table),
    },
    teams: [],
    budgets: [],
    notes: [
      ...notes,
      ...(backups > 0
        ? [`Keys with a second group for failures, which use their first one only: ${backups}`]
        : []),
      ...left
        .filter(([, rows]) => rows > 0)
        .map(([table, rows]) => `Rows of ${table} that stay behind: ${rows}`),
    ],
  };
}

const memberOf = (value: JsonObject, name: string): JsonObject => {
  const member = value[name];
  return isObject(member) ? member : {};
};

const listIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Members of a channel that change its calls and that no channel has here: with one of them it stays off. */
const unknown = ['plugin', 'only_chat', 'disabled_stream', 'custom_parameter'] as const;

function channelOf(row: ForeignRow, cells: Cells): ForeignRow {
  const sourceType = cells.whole('type');
  const { type, baseUrl = '' } = types[sourceType] ?? { type: sourceType <= lastSame ? sourceType : 0 };
  const mapping = Object.entries(cells.json('model_mapping'));
  // The model behind a mapping is charged, unless its name begins with a plus.
  const priced = mapping.filter(([, target]) => !textOf(target).startsWith('+')).length;
  const setting = Object.fromEntries(
    unknown.map((name) => [name, name === 'only_chat' ? cells.flag(name) : contentOf(cells, name)]),
  );
  const proxy = cells.text('proxy');
  return {
    ...row,
    type,
    ...keyOf(type, cells),
    base_url: cells.text('base_url') || baseUrl,
    model_mapping: JSON.stringify(
      Object.fromEntries(mapping.map(([name, target]) => [name, textOf(target).replace(/^\+/, '')])),
    ),
    price_after_mapping: priced > 0,
    header_override: cells.text('model_headers'),
    setting: JSON.stringify({
      ...setting,
      ...(proxy !== '' && { proxy }),
      ...(priced > 0 && priced < mapping.length && { 'mappings of which some charge the first name': true }),
    }),
  };
}

function contentOf(cells: Cells, column: string): unknown {
  const text = cells.text(column).trim();
  return ['', '{}', '[]', 'null'].includes(text) ? null : text;
}

const [aws, cloudflare, vertex] = [33, 39, 41];

/** The key and the extra field, whose parts have another order there. */
function keyOf(type: number, cells: Cells): { key: string; other: string } {
  const key = cells.text('key');
  const other = cells.text('other');
  const [first = '', second = '', third = ''] = key.split('|');
  if (type === aws) return { key: [second, third, first].join('|'), other };
  if (type === cloudflare) return { key: second, other: first };
  if (type === vertex) return { key, other: other.split('|', 1)[0] ?? '' };
  return { key, other };
}
