import {
  AppError,
  type ChannelChange,
  type ChannelInput,
  channelStatus,
  keylessTypes,
  testOutcome,
} from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import type { AbilityTable } from '../../../store/index.ts';
import { type ChannelFields, checkExtra, keyDestination, tidyFields } from './check.ts';
import { hasMaskedHeaders, maskedHeaders, sealedHeaders } from './header-secrets.ts';
import { checkKey, checkSendable, hasKey, joinKeys, openKey, sealKey, splitKeys } from './keys.ts';
import { namesOf, readJsonObject, withoutCredentials } from './parse.ts';
import { maskedSetting, sealedSetting } from './proxy-password.ts';
import type { ChannelRow, ChannelTypes } from './types.ts';

/** Columns that a change may write: used_quota is only changed by settlements. */
export type Columns = Partial<Omit<ChannelRow, 'id' | 'used_quota'>>;

/** A row not yet stored. */
export type NewChannelRow = Omit<ChannelRow, 'id'>;

/** A channel that is not stored yet, with the secrets to encrypt once it has an id. */
export interface Draft {
  row: NewChannelRow;
  /** The proxy including its password. */
  setting: string;
  /** `header_override` including its secrets. */
  headers: string;
  key: string;
}

/** The stored form of a draft's secrets, once its id is known. */
export const secretColumns = (sealer: Sealer, id: number, { key, setting, headers }: Draft): Columns => ({
  ...sealKey(sealer, id, key),
  setting: sealedSetting(sealer, id, setting, ''),
  ...sealedHeaders(sealer, id, headers),
});

/** The row of a new channel. Throws AppError for the first invalid field. */
export function newRow(
  input: Omit<ChannelInput, 'mode'>,
  key: string,
  context: { types: ChannelTypes; now: number },
): Draft {
  checkType(input.type, context.types);
  const {
    key: _keys,
    multi_key_mode: mode,
    ...fields
  } = withTrimmedAddress(tidyFields(input), context.types);
  checkExtra(fields, context.types);
  checkSendable('openai_organization', fields.openai_organization);
  const keyMode = mode ?? '';
  checkKeys(input.type, key, keyMode);
  const row: NewChannelRow = {
    ...fields,
    multi_key_mode: keyMode,
    key_sealed: '',
    key_hash: '',
    setting: '',
    header_override: '',
    header_secrets_sealed: null,
    // Only Tollgate itself sets status 3.
    status: input.status === channelStatus.autoDisabled ? channelStatus.disabled : input.status,
    tag: tagOrNull(input.tag),
    created_time: context.now,
    test_time: 0,
    response_time: 0,
    test_outcome: testOutcome.unknown,
    test_failure: null,
    balance: 0,
    balance_updated_time: 0,
    used_quota: 0,
    other_info: '',
  };
  return { row, setting: fields.setting, headers: fields.header_override, key };
}

/** Codex: the key is renewed at the vendor and stored again. */
const renewing = 57;

/** Checks the one key of a channel, or each of several. */
function checkKeys(type: number, text: string, mode: string): void {
  if (mode !== '' && type === renewing) throw new AppError('channel_keys_unavailable');
  for (const key of mode === '' ? [text] : splitKeys(type, text)) checkKey(type, key);
}

/** Address fields whose values must not include the paths of calls. */
const withTrimmedAddress = <Fields extends Pick<ChannelFields, 'type' | 'base_url' | 'other'>>(
  fields: Fields,
  types: ChannelTypes,
): Fields => ({
  ...fields,
  base_url: types.trimAddress(fields.type, { baseUrl: fields.base_url, other: fields.other }),
});

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
  'header_override',
] as const satisfies readonly (keyof ChannelFields)[];

/** The columns that a change writes, checked together with the unchanged ones. Throws AppError as `newRow` does. */
export function changedColumns(
  row: ChannelRow,
  change: ChannelChange,
  context: { types: ChannelTypes; sealer: Sealer },
): Columns {
  const { id: _id, key, tag, multi_key_mode: mode, key_mode: _place, ...sent } = change;
  const columns: Columns = dropUndefined(sent);
  if (tag !== undefined) columns.tag = tagOrNull(tag);
  if (columns.type !== undefined && columns.type !== row.type) checkType(columns.type, context.types);
  // Checked in the form that users see: secrets are masked, and an address has no credentials.
  const shown = {
    ...row,
    base_url: withoutCredentials(row.base_url),
    setting: maskedSetting(row.setting),
    header_override: maskedHeaders(row.header_override),
  };
  const changed = { ...shown, ...columns };
  // A change of status or priority must be possible on a row with other invalid fields, so only the submitted fields
  // are checked.
  const tidy = checkedFields.some((name) => name in columns) ? tidyFields(changed, shown) : changed;
  const placed = ['base_url', 'type', 'other'] as const;
  if (placed.some((name) => columns[name] !== undefined)) {
    const { base_url } = withTrimmedAddress(tidy, context.types);
    // Each type adds its own paths to the address.
    if (base_url !== tidy.base_url) columns.base_url = tidy.base_url = base_url;
  }
  checkExtra(tidy, context.types, row);
  for (const name of checkedFields) if (name in columns) Object.assign(columns, { [name]: tidy[name] });
  if (columns.setting !== undefined)
    columns.setting = sealedSetting(context.sealer, row.id, columns.setting, row.setting);
  if (columns.header_override !== undefined)
    Object.assign(columns, sealedHeaders(context.sealer, row.id, columns.header_override, row));
  checkSendable('openai_organization', columns.openai_organization ?? '');
  if (mode) columns.multi_key_mode = mode;
  const keyMode = mode ?? row.multi_key_mode;
  const newKey = keyMode === '' ? (key?.trim() ?? '') : joinedKeys(row, tidy.type, change, context.sealer);
  checkKeys(tidy.type, newKey, keyMode);
  if (newKey !== '') Object.assign(columns, sealKey(context.sealer, row.id, newKey));
  else requireKey(shown, tidy, context);
  if (isMoved(shown, tidy, context.types) && hasMaskedHeaders(tidy.header_override))
    throw new AppError('channel_header_secret_required');
  return { ...columns, ...statusColumns(row, columns.status) };
}

/** The keys of a channel with several keys after a change, as one text; '' if they are unchanged. */
function joinedKeys(
  row: ChannelRow,
  type: number,
  { key = '', key_mode: place }: ChannelChange,
  sealer: Sealer,
): string {
  const sent = splitKeys(type, key);
  if (sent.length === 0) return '';
  const before = place === 'append' ? splitKeys(type, openKey(sealer, row)) : [];
  return joinKeys(type, splitKeys(type, joinKeys(type, [...before, ...sent])));
}

/**
 * A stored key is only sent to the hosts it was saved for; a channel without a key needs a type that works without one.
 */
function requireKey(
  row: ChannelRow,
  changed: ChannelRow,
  { types, sealer }: { types: ChannelTypes; sealer: Sealer },
): void {
  const moved = isMoved(row, changed, types);
  if (!moved && row.type === changed.type) return;
  const needsKey = hasKey(sealer, row) ? moved : !keylessTypes.has(changed.type);
  if (needsKey) throw new AppError('channel_key_required');
}

/** True if a change sends the channel's secrets elsewhere. */
const isMoved = (row: ChannelRow, changed: ChannelRow, types: ChannelTypes): boolean =>
  keyDestination(row, types) !== keyDestination(changed, types);

/** The consequences of a change of status: only Tollgate sets status 3, and the reason is removed with the status. */
export function statusColumns(row: ChannelRow, status: number | undefined): Columns {
  if (status === undefined || status === row.status) return {};
  const given = status === channelStatus.autoDisabled ? channelStatus.disabled : status;
  return { status: given, other_info: withoutReason(row.other_info) };
}

/** other_info with the reason and time of an automatic disabling. */
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
  if (types.isClosed(type)) throw new AppError('channel_type_closed');
}

const tagOrNull = (tag: string): string | null => tag.trim() || null;

function dropUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
