import { AppError, type ChannelChange, type ChannelInput, channelStatus } from '@tollgate/contract';
import type { Sealer } from '../../lib/seal.ts';
import type { AbilityTable } from '../../store/index.ts';
import { type ChannelFields, keyDestination, tidyFields } from './check.ts';
import { sealKey } from './keys.ts';
import { namesOf, readJsonObject } from './parse.ts';
import type { ChannelRow, ChannelTypes } from './types.ts';

/** Columns that a change may write: used_quota grows with settlements only. */
export type Columns = Partial<Omit<ChannelRow, 'id' | 'used_quota'>>;

/** A row not yet stored. */
export type NewChannelRow = Omit<ChannelRow, 'id'>;

/** The row of a new channel. Throws AppError with the first thing that is wrong. */
export function newRow(
  input: ChannelInput,
  key: string,
  context: { types: ChannelTypes; sealer: Sealer; now: number },
): NewChannelRow {
  checkType(input.type, context.types);
  const { key: _keys, ...fields } = tidyFields(input);
  return {
    ...fields,
    ...sealKey(context.sealer, key),
    // Status 3 is for Tollgate to give.
    status: input.status === channelStatus.autoDisabled ? channelStatus.disabled : input.status,
    tag: tagOrNull(input.tag),
    created_time: context.now,
    test_time: 0,
    response_time: 0,
    balance: 0,
    balance_updated_time: 0,
    used_quota: 0,
    other_info: '',
  };
}

const checkedFields = [
  'type',
  'name',
  'base_url',
  'other',
  'models',
  'group',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
] as const satisfies readonly (keyof ChannelFields)[];

/** The columns that a change writes, checked together with those that stay. Throws AppError as `newRow` does. */
export function changedColumns(
  row: ChannelRow,
  change: ChannelChange,
  context: { types: ChannelTypes; sealer: Sealer },
): Columns {
  const { id: _id, key, tag, ...sent } = change;
  const columns: Columns = dropUndefined(sent);
  if (tag !== undefined) columns.tag = tagOrNull(tag);
  if (columns.type !== undefined && columns.type !== row.type) checkType(columns.type, context.types);
  const changed = { ...row, ...columns };
  // A switch of status or priority must work on a row whose other fields are damaged, so only what is sent is judged.
  const tidy = checkedFields.some((name) => name in columns) ? tidyFields(changed) : changed;
  for (const name of checkedFields) if (name in columns) Object.assign(columns, { [name]: tidy[name] });
  const newKey = key?.trim() ?? '';
  if (newKey !== '') Object.assign(columns, sealKey(context.sealer, newKey));
  else requireSameDestination(row, tidy, context.types);
  return { ...columns, ...statusColumns(row, columns.status) };
}

/** A stored key goes nowhere else than where it was meant to go (security.md A9). */
function requireSameDestination(row: ChannelRow, changed: ChannelRow, types: ChannelTypes): void {
  const before = keyDestination(row, types.defaultBaseUrl(row.type) ?? '');
  const after = keyDestination(changed, types.defaultBaseUrl(changed.type) ?? '');
  if (before !== after) throw new AppError('channel_key_required');
}

/** What a change of status brings along: only Tollgate gives status 3, and a reason does not outlive its status. */
export function statusColumns(row: ChannelRow, status: number | undefined): Columns {
  if (status === undefined || status === row.status) return {};
  const given = status === channelStatus.autoDisabled ? channelStatus.disabled : status;
  return { status: given, other_info: withoutReason(row.other_info) };
}

/** other_info with the reason and time of an automatic switch-off (specification 2, section 4). */
export function withReason(otherInfo: string, reason: string, now: number): string {
  const info = readJsonObject(otherInfo) ?? {};
  return JSON.stringify({ ...info, status_reason: reason.slice(0, 1_000), status_time: now });
}

function withoutReason(otherInfo: string): string {
  const info = readJsonObject(otherInfo) ?? {};
  delete info.status_reason;
  delete info.status_time;
  return Object.keys(info).length === 0 ? '' : JSON.stringify(info);
}

/** One ability for each group and model of a channel. */
export function abilitiesOf(
  row: Pick<ChannelRow, 'id' | 'group' | 'models' | 'status' | 'priority' | 'weight' | 'tag'>,
): AbilityTable[] {
  const models = namesOf(row.models);
  return namesOf(row.group).flatMap((group) =>
    models.map((model) => ({
      group,
      model,
      channel_id: row.id,
      enabled: row.status === channelStatus.enabled ? 1 : 0,
      priority: row.priority,
      weight: row.weight,
      tag: row.tag,
    })),
  );
}

function checkType(type: number, types: ChannelTypes): void {
  if (types.defaultBaseUrl(type) === undefined) throw new AppError('channel_type_unknown');
}

const tagOrNull = (tag: string): string | null => tag.trim() || null;

function dropUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
