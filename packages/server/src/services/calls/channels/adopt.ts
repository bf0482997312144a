import { AppError, type ChannelInput, channelStatus } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { abilities, channels as channelRows, type Db } from '../../../store/index.ts';
import { abilitiesOf, type Draft, newRow, secretColumns } from './rows.ts';
import type { ChannelRow, ChannelTypes } from './types.ts';

/** A channel that comes from another gateway with its id. */
export interface AdoptedChannel {
  id: number;
  input: ChannelInput;
  key: string;
  /** What the other gateway knew of it. */
  past: Pick<
    ChannelRow,
    'created_time' | 'test_time' | 'response_time' | 'balance' | 'balance_updated_time' | 'other_info'
  >;
}

export interface AdoptDeps {
  /** The transaction of the import. */
  db: Db;
  sealer: Sealer;
  types: ChannelTypes;
}

/**
 * Writes a channel and its abilities. It must be as a form would have to send it; else it is written as it came, but off.
 * Answers why it is off then.
 */
export async function adoptChannel(deps: AdoptDeps, adopted: AdoptedChannel): Promise<AppError | undefined> {
  const { db, sealer, types } = deps;
  const { id, input, key, past } = adopted;
  const { draft, fault } = draftOf(adopted, types);
  const status = fault && input.status === channelStatus.enabled ? channelStatus.disabled : input.status;
  const whole = { row: { ...draft.row, ...past, status }, setting: draft.setting, key };
  const row = { ...whole.row, ...secretColumns(sealer, id, whole), id };
  await channelRows.create(db, row);
  await abilities.insert(db, abilitiesOf(row));
  return fault;
}

function draftOf(
  { input, key, past }: AdoptedChannel,
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
      tag: input.tag.trim() || null,
      multi_key_mode: mode ?? '',
    };
    return { draft: { row, setting: '', key }, fault };
  }
}
