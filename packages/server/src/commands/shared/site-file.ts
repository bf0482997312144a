import { isDeepStrictEqual } from 'node:util';
import {
  type BudgetData,
  budgetApi,
  usualSharesOf,
  channelApi,
  type ChannelData,
  type OptionData,
  optionApi,
} from '@tollgate/contract';
import { z } from 'zod';
import { type Fields, makeCall, type Site, wordOf } from './site-calls.ts';

/** The configuration of a site as a file: the items of each kind by their names. */
export interface SiteFile {
  settings: Record<string, unknown>;
  channels: Record<string, Fields>;
  budgets: Record<string, Fields>;
}

type KindName = 'setting' | 'channel' | 'budget';

/** An item of the site: its fields as a file has them, and its id. */
interface Item {
  fields: Fields;
  id?: number;
  isSecret?: boolean;
}

/** One difference between a file and a site, and the call that removes it. */
export interface Change {
  kind: KindName;
  name: string;
  /** By field: the value of the site, undefined for a new item, and that of the file. */
  differences: Record<string, { from: unknown; to: unknown }>;
  /** The change in one line. */
  line: string;
  make: (site: Site) => Promise<void>;
}

const fileSchema = z.strictObject({
  settings: z.record(z.string(), z.unknown()).default({}),
  channels: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  budgets: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/** Reads the text of a file. Throws if it is not JSON, or has unknown parts. */
export function readFile(text: string): SiteFile {
  const { data, error } = fileSchema.safeParse(JSON.parse(text));
  if (!data) throw new Error(z.prettifyError(error));
  return data;
}

/** A value that is read from a variable. */
const isFromEnv = (value: unknown): value is { env: string } =>
  typeof value === 'object' && value !== null && 'env' in value && Object.keys(value).length === 1;

const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value with the texts of its variables. Throws if one is not set. */
function withVariables(value: unknown): unknown {
  if (isFromEnv(value)) {
    const found = process.env[value.env];
    if (found === undefined || found === '') throw new Error(`the variable ${value.env} is not set`);
    return found;
  }
  if (!isMap(value)) return value;
  return mapFields(value, (_name, each) => withVariables(each));
}

/** True if the site has the value. A value of a variable is a secret, of which the site only shows that it is there. */
function hasValue(wanted: unknown, present: unknown, withSecrets: boolean): boolean {
  if (isFromEnv(wanted)) return !withSecrets && present !== undefined && present !== '';
  if (!isMap(wanted) || !isMap(present)) return isDeepStrictEqual(wanted, present);
  const names = new Set([...Object.keys(wanted), ...Object.keys(present)]);
  return [...names].every((name) => hasValue(wanted[name], present[name], withSecrets));
}

/** JSON in a text as a value, so that people can read and compare it; any other text as it is. */
function readable(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

async function ask<T>(site: Site, ...call: [Parameters<typeof makeCall>[1], Fields]): Promise<T> {
  const answer = await makeCall(site, ...call);
  if ('text' in answer) throw new Error(`${site.url} is not the address of a site`);
  return answer.json as T;
}

/** Settings and their values; of a secret only that it is set. */
async function readSettings(site: Site): Promise<Map<string, Item>> {
  type Answer = { data: OptionData[]; secrets_set: string[] };
  const { data, secrets_set: secrets } = await ask<Answer>(site, optionApi.list, {});
  return new Map([
    ...data.map(({ key, value }) => [key, { fields: { value: readable(value) } }] as const),
    ...secrets.map((key) => [key, { fields: { value: 'set' }, isSecret: true }] as const),
  ]);
}

const lists: ReadonlySet<string> = new Set(['models', 'group']);
const pageSize = 100;

/** The value of a channel's field as a file has it. */
function readableField(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (lists.has(field)) return value === '' ? [] : value.split(',');
  return readable(value);
}

const {
  mode: _mode,
  name: _name,
  type: _type,
  ...defaults
} = channelApi.create.input.parse({
  type: 1,
  name: 'new',
});
/** The fields of a channel that a file may leave out, with their values. */
const channelDefaults = mapFields(defaults, (field, value) => readableField(field, value));
const channelFields = ['type', ...Object.keys(channelDefaults)];

function mapFields(fields: Fields, change: (field: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, change(field, value)]));
}

/** The fields of a channel that are not default; of its key a hint. What the site has disabled by itself counts as enabled. */
function fieldsOfChannel(channel: ChannelData): Fields {
  const own: Fields = {
    ...channel,
    key: channel.key_hint,
    status: channel.status === 3 ? 1 : channel.status,
  };
  return Object.fromEntries(
    channelFields.flatMap((field) => {
      const value = readableField(field, own[field] ?? channelDefaults[field]);
      return isDeepStrictEqual(value, channelDefaults[field]) ? [] : [[field, value]];
    }),
  );
}

async function readChannels(site: Site): Promise<Map<string, Item>> {
  const channels = new Map<string, Item>();
  for (let page = 0; ; page += 1) {
    type Answer = { data: ChannelData[]; total: number };
    const { data, total } = await ask<Answer>(site, channelApi.list, { p: page, page_size: pageSize });
    for (const channel of data) {
      const known = channels.get(channel.name);
      if (known && known.id !== channel.id)
        throw new Error(`several channels are named ${channel.name}; a file needs different names`);
      channels.set(channel.name, { fields: fieldsOfChannel(channel), id: channel.id });
    }
    if (data.length < pageSize || channels.size >= total) return channels;
  }
}

/** Budgets that belong to no key, person or organisation. */
async function readBudgets(site: Site): Promise<Map<string, Item>> {
  const all = await ask<BudgetData[]>(site, budgetApi.list, {});
  const ofSite = all.filter((each) => each.token_id === 0 && each.user_id === 0 && each.team_id === 0);
  return new Map(
    ofSite.map(
      ({
        id,
        name,
        group,
        model,
        period,
        sliding,
        time_zone,
        mode,
        shares,
        instead,
        for_each,
        unit,
        amount,
        enabled,
        window_end: until,
      }) => [
        name,
        {
          id,
          fields: {
            ...(group !== '' && { group }),
            ...(model !== '' && { model }),
            period,
            ...(sliding && { sliding }),
            time_zone,
            ...(unit !== 'quota' && { unit }),
            amount,
            ...(mode !== 'hard' && { mode }),
            ...(instead !== '' && { instead }),
            ...(for_each !== '' && { for_each }),
            ...(shares.join() !== usualSharesOf(period).join() && { shares }),
            ...(!enabled && { enabled }),
            ...(period === 'term' && { until }),
          },
        },
      ],
    ),
  );
}

/** The fields of an item as a call takes them. */
const written = (fields: Fields): Fields =>
  mapFields(fields, (field, given) => {
    const value = withVariables(given);
    if (Array.isArray(value) && lists.has(field)) return value.join(',');
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  });

/** How the items of a kind are read, and how one is created (without an id) or changed. */
interface Kind {
  read: (site: Site) => Promise<Map<string, Item>>;
  /** The values of fields that an item of a file does not have. */
  absent: (wanted: Fields) => Fields;
  save: (site: Site, name: string, changed: Fields, id: number | undefined) => Promise<unknown>;
}

const budgetChanges: ReadonlySet<string> = new Set(['amount', 'mode', 'shares', 'instead', 'enabled']);

const kinds: Record<KindName, Kind> = {
  setting: {
    read: readSettings,
    absent: () => ({}),
    save: (site, key, { value }) => makeCall(site, optionApi.update, { key, ...written({ value }) }),
  },
  channel: {
    read: readChannels,
    absent: () => channelDefaults,
    save: (site, name, changed, id) =>
      id === undefined
        ? makeCall(site, channelApi.create, { name, mode: 'single', ...written(changed) })
        : makeCall(site, channelApi.update, { id, ...written(changed) }),
  },
  budget: {
    read: readBudgets,
    absent: ({ period }) => ({
      group: '',
      model: '',
      sliding: false,
      time_zone: 'UTC',
      mode: 'hard',
      instead: '',
      for_each: '',
      unit: 'quota',
      shares: [...usualSharesOf(String(period))],
      enabled: true,
    }),
    async save(site, name, { enabled, ...changed }, id) {
      const fixed = Object.keys(changed).find((field) => !budgetChanges.has(field));
      if (id !== undefined && fixed !== undefined)
        throw new Error(
          `${fixed} of the budget ${name} cannot be changed; a budget with another name can have it`,
        );
      const budget =
        id === undefined ? await ask<BudgetData>(site, budgetApi.create, { name, ...changed }) : { id };
      if (id !== undefined || enabled === false)
        await makeCall(site, budgetApi.update, {
          id: budget.id,
          ...(id !== undefined && changed),
          ...(enabled !== undefined && { enabled }),
        });
    },
  },
};

/** The configuration of a site, without secrets. */
export async function readSiteFile(site: Site): Promise<SiteFile> {
  const [settings, channels, budgets] = await Promise.all([
    kinds.setting.read(site),
    kinds.channel.read(site),
    kinds.budget.read(site),
  ]);
  const shown = [...settings].filter(([, { isSecret }]) => isSecret !== true);
  return {
    settings: Object.fromEntries(shown.map(([key, { fields }]) => [key, fields['value']])),
    channels: Object.fromEntries(
      [...channels].map(
        ([
          name,
          {
            fields: { key: _key, ...fields },
          },
        ]) => [name, fields],
      ),
    ),
    budgets: Object.fromEntries([...budgets].map(([name, { fields }]) => [name, fields])),
  };
}

const longest = 60;
const show = (value: unknown): string => {
  if (isFromEnv(value)) return `$${value.env}`;
  const text = wordOf(value ?? '');
  return text.length > longest ? `${text.slice(0, longest)}…` : text === '' ? '""' : text;
};

const mostMembers = 5;

/** A difference in words; of two maps, their members that differ. */
function showDifference(from: unknown, to: unknown): string {
  if (from === undefined || isFromEnv(to)) return show(to);
  if (!isMap(from) || !isMap(to)) return `${show(from)} → ${show(to)}`;
  const names = [...new Set([...Object.keys(to), ...Object.keys(from)])];
  const different = names.filter((name) => !hasValue(to[name], from[name], false));
  const shown = different
    .slice(0, mostMembers)
    .map((name) => `${name} ${show(from[name])} → ${name in to ? show(to[name]) : 'removed'}`);
  const rest = different.length - shown.length;
  return `{${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}}`;
}

function findChange(
  kind: KindName,
  name: string,
  wanted: Fields,
  { present, withSecrets }: { present: Item | undefined; withSecrets: boolean },
): Change | undefined {
  const { save } = kinds[kind];
  const absent = kinds[kind].absent(wanted);
  const inFile = kind === 'setting' ? wanted : { ...absent, ...wanted };
  const onSite = kind === 'setting' ? (present?.fields ?? {}) : { ...absent, ...present?.fields };
  const fields = Object.keys(inFile).filter((field) => {
    // A file without a key keeps the stored one.
    if (field === 'key' && wanted['key'] === undefined) return false;
    return present ? !hasValue(inFile[field], onSite[field], withSecrets) : field in wanted;
  });
  if (present && fields.length === 0) return undefined;
  const changed = Object.fromEntries(fields.map((field) => [field, inFile[field]]));
  const differences = Object.fromEntries(
    fields.map((field) => [field, { from: present && onSite[field], to: inFile[field] }]),
  );
  const words = fields.map((field) => {
    const change = showDifference(present && onSite[field], inFile[field]);
    return kind === 'setting' ? change : `${field} ${change}`;
  });
  return {
    kind,
    name,
    differences,
    line: `${present ? '~' : '+'} ${kind} ${name}: ${words.join(', ')}`,
    make: async (site) => {
      await save(site, name, changed, present?.id);
    },
  };
}

/** What a site lacks of a file. Throws for fields and settings that do not exist. */
export async function findChanges(
  site: Site,
  file: SiteFile,
  { withSecrets }: { withSecrets: boolean },
): Promise<Change[]> {
  const items: [KindName, Record<string, Fields>][] = [
    [
      'setting',
      Object.fromEntries(Object.entries(file.settings).map(([key, value]) => [key, asSetting(value)])),
    ],
    ['channel', file.channels],
    ['budget', file.budgets],
  ];
  const changes: Change[] = [];
  for (const [kind, wanted] of items) {
    if (Object.keys(wanted).length === 0) continue;
    const present = await kinds[kind].read(site);
    for (const [name, fields] of Object.entries(wanted)) {
      checkFields(kind, name, fields, present.get(name));
      const change = findChange(kind, name, fields, { present: present.get(name), withSecrets });
      if (change) changes.push(change);
    }
  }
  return changes;
}

/** Values of settings are texts; a file may have numbers and truth values. */
const asSetting = (value: unknown): Fields => ({
  value: typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
});

const budgetFields: ReadonlySet<string> = new Set([
  'group',
  'model',
  'period',
  'sliding',
  'time_zone',
  'unit',
  'amount',
  'mode',
  'shares',
  'instead',
  'for_each',
  'enabled',
  'until',
]);

function checkFields(kind: KindName, name: string, fields: Fields, present: Item | undefined): void {
  if (kind === 'setting' && (!present || present.isSecret === true) && !isFromEnv(fields['value']))
    throw new Error(`there is no setting ${name}, or it is a secret, which must be {"env": "NAME"}`);
  if (kind === 'setting') return;
  const known = kind === 'channel' ? new Set(channelFields) : budgetFields;
  const unknown = Object.keys(fields).find((field) => !known.has(field));
  if (unknown !== undefined) throw new Error(`a ${kind} has no field ${unknown} (${name})`);
  if (kind === 'channel' && fields['key'] !== undefined && !isFromEnv(fields['key']))
    throw new Error(`the key of the channel ${name} must be {"env": "NAME"}`);
}

/** Makes the changes in order. Throws at the first that the site refuses; those before it are made. */
export async function applyChanges(site: Site, changes: readonly Change[]): Promise<void> {
  for (const { kind, name, make } of changes) {
    await make(site).catch((cause: unknown) => {
      throw new Error(`${kind} ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    });
  }
}
