import { AppError, type ChannelInput, channelStatus } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { abilities, channelKeys, channels as channelRows, type Db } from '../../../store/index.ts';
import { joinKeys } from './keys.ts';
import { keyIdOf } from './parse.ts';
import { abilitiesOf, type Draft, newRow, secretColumns } from './rows.ts';
import type { ChannelRow, ChannelTypes } from './types.ts';

/** A channel imported from another gateway with its id. */
export interface AdoptedChannel {
  id: number;
  /** The mode of several keys; absent for a channel with one key. */
  input: ChannelInput;
  keys: readonly AdoptedKey[];
  /** State of the channel at the other gateway. */
  past: Pick<
    ChannelRow,
    'created_time' | 'test_time' | 'response_time' | 'balance' | 'balance_updated_time' | 'other_info'
  >;
}

/** A key and its state at the other gateway. */
export interface AdoptedKey {
  key: string;
  /** Status as that of a channel; unused for a channel with one key. */
  status: number;
  /** Reason for disabling. */
  reason: string;
  /** Unix seconds; 0 for unknown. */
  changedAt: number;
}

export interface AdoptDeps {
  /** The transaction of the import. */
  db: Db;
  sealer: Sealer;
  types: ChannelTypes;
}

/**
 * Writes a channel and its abilities. An invalid channel is written unchanged but disabled, and the reason is returned.
 */
export async function adoptChannel(deps: AdoptDeps, adopted: AdoptedChannel): Promise<AppError | undefined> {
  const { db, sealer, types } = deps;
  const { id, input, keys, past } = adopted;
  const isSeveral = Boolean(input.multi_key_mode);
  const texts = keys.map((each) => each.key);
  const key = isSeveral ? joinKeys(input.type, texts) : (texts[0] ?? '');
  const { draft, fault } = draftOf(adopted, key, types);
  const status = fault && input.status === channelStatus.enabled ? channelStatus.disabled : input.status;
  const whole = {
    row: { ...draft.row, ...past, status },
    setting: draft.setting,
    headers: draft.headers,
    key,
  };
  const row = { ...whole.row, ...secretColumns(sealer, id, whole), id };
  await channelRows.create(db, row);
  await abilities.insert(db, abilitiesOf(row));
  if (isSeveral) await channelKeys.putStates(db, statesOf(id, keys));
  return fault;
}

/** States of keys; a key that occurs twice is enabled. */
function statesOf(id: number, keys: readonly AdoptedKey[]): Parameters<typeof channelKeys.putStates>[1] {
  const isOn = ({ status }: AdoptedKey): boolean => status === channelStatus.enabled;
  const on = new Set(keys.filter(isOn).map(({ key }) => key));
  const off = new Map(keys.filter(({ key }) => !on.has(key)).map((each) => [each.key, each]));
  return [...off.values()].map(({ key, status, reason, changedAt }) => ({
    channel_id: id,
    key_id: keyIdOf(id, key),
    status,
    reason: reason.slice(0, 1_000),
    changed_at: changedAt,
  }));
}

function draftOf(
  { input, past }: AdoptedChannel,
  key: string,
  types: ChannelTypes,
): { draft: Draft; fault?: AppError } {
  const context = { types, now: past.created_time };
  try {
    return { draft: newRow(input, key, context) };
  } catch (fault) {
    if (!(fault instanceof AppError)) throw fault;
    const { key: _key, multi_key_mode: mode, ...fields } = input;
    const blank = { key_sealed: '', key_hash: '', test_outcome: 0, test_failure: null, used_quota: 0 };
    const row = {
      ...fields,
      ...past,
      ...blank,
      setting: '',
      header_override: '',
      header_secrets_sealed: null,
      tag: input.tag.trim() || null,
      multi_key_mode: mode ?? '',
    };
    return { draft: { row, setting: '', headers: fields.header_override, key }, fault };
  }
}
