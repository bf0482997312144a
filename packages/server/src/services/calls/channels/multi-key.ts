import {
  AppError,
  type ChannelKeyAction,
  channelStatus,
  type KeyLimits,
  type Words,
} from '@tollgate/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../../../lib/clock.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import { channelKeys, channels as channelRows, type Db } from '../../../store/index.ts';
import { changing, type ChannelsDeps, targetOf } from './deps.ts';
import { joinKeys, openKey, sealKey, splitKeys } from './keys.ts';
import { hintAmongKeys, keyIdOf, readKeyLimits } from './parse.ts';
import { followKeys } from './status.ts';
import type { Channels, ManagedKey, WantedKeys } from './service.ts';
import type { ChannelRow } from './types.ts';

/** Attempts are counted in memory for this time, then written together. */
const countMs = 2_000;

/** Operations of administrators and of Tollgate on the keys of a channel with several keys. */
export function channelKeysService(
  deps: ChannelsDeps,
): Pick<Channels, 'listKeys' | 'manageKeys' | 'disableKey' | 'enableKey' | 'countKeyUse'> {
  const { db } = deps;
  let counted = new Map<string, { channelId: number; uses: number }>();
  const writeUses = sharedRun(async () => {
    await sleep(countMs, undefined, { ref: false });
    const written = counted;
    counted = new Map();
    for (const [id, { channelId, uses }] of written) await channelKeys.addUses(db, channelId, id, uses);
  });

  /** Changes one key in this state; false if its state differs or it no longer exists. */
  const switchKey = async (
    channelId: number,
    keyId: string,
    [from, to]: readonly [number, number],
    reason: string | Words,
  ): Promise<boolean> => {
    // Of concurrent failures, only the first disables the key.
    const before = await channelKeys.find(db, channelId, keyId);
    if ((before?.status ?? channelStatus.enabled) !== from) return false;
    return changing(deps, async (trx, inside) => {
      const held = await lockKeys(deps, trx, channelId);
      const key = held?.keys.find(({ id }) => id === keyId);
      if (!held || key?.status !== from) return false;
      await putStatus(inside, trx, held, [key], to, typeof reason === 'string' ? reason : reason.zh);
      return true;
    });
  };

  return {
    async listKeys(channelId) {
      const row = await channelRows.find(db, channelId);
      if (!row) throw new AppError('channel_not_found');
      const keys = await keysIn(deps, db, row);
      return keys.map(({ key, ...known }) => ({ ...known, hint: hintAmongKeys(key, known.id) }));
    },
    manageKeys: (channelId, action, wanted) =>
      changing(deps, async (trx, inside) => {
        const held = await lockKeys(deps, trx, channelId);
        if (!held) throw new AppError('channel_not_found');
        return manage(inside, trx, held, action, wanted);
      }),
    disableKey: (channelId, keyId, reason) =>
      switchKey(channelId, keyId, [channelStatus.enabled, channelStatus.autoDisabled], reason),
    enableKey: (channelId, keyId) =>
      switchKey(channelId, keyId, [channelStatus.autoDisabled, channelStatus.enabled], ''),
    countKeyUse(channelId, keyId) {
      const count = counted.get(keyId);
      if (count) count.uses += 1;
      else counted.set(keyId, { channelId, uses: 1 });
      writeUses().catch((err: unknown) => deps.log.warn({ err }, 'uses of keys could not be counted'));
    },
  };
}

/** A key with its state; it never leaves the service. */
type OpenKey = Omit<ManagedKey, 'hint'> & { key: string };

/** A locked channel and its keys. */
interface HeldKeys {
  row: ChannelRow;
  keys: OpenKey[];
}

async function lockKeys(deps: ChannelsDeps, db: Db, channelId: number): Promise<HeldKeys | undefined> {
  const row = await channelRows.findLocked(db, channelId);
  return row && { row, keys: await keysIn(deps, db, row) };
}

/** The keys of a channel with their states. Throws `channel_one_key` and `channel_key_unreadable`. */
async function keysIn(deps: ChannelsDeps, db: Db, row: ChannelRow): Promise<OpenKey[]> {
  if (row.multi_key_mode === '') throw new AppError('channel_one_key');
  const stateOf = new Map((await channelKeys.ofChannel(db, row.id)).map((state) => [state.key_id, state]));
  return splitKeys(row.type, openOrRefuse(deps, row)).map((key, index) => {
    const id = keyIdOf(row.id, key);
    const state = stateOf.get(id);
    return {
      index,
      id,
      key,
      status: state?.status ?? channelStatus.enabled,
      reason: state?.reason ?? '',
      changedAt: state?.changed_at ?? 0,
      uses: state?.uses ?? 0,
      limits: readKeyLimits(state?.limits ?? ''),
    };
  });
}

function openOrRefuse({ sealer }: ChannelsDeps, row: ChannelRow): string {
  try {
    return openKey(sealer, row);
  } catch (cause) {
    throw new AppError('channel_key_unreadable', {}, cause);
  }
}

const isOn = ({ status }: OpenKey): boolean => status === channelStatus.enabled;

async function manage(
  deps: ChannelsDeps,
  db: Db,
  held: HeldKeys,
  action: Exclude<ChannelKeyAction, 'get_key_status'>,
  wanted: WantedKeys,
): Promise<number> {
  const { row, keys } = held;
  await deps.audit.record(db, { target: targetOf(row), note: { action } });
  if (action === 'enable_all_keys' || action === 'disable_all_keys') {
    const isEnabling = action === 'enable_all_keys';
    const changed = keys.filter((key) => isOn(key) !== isEnabling);
    await putStatus(deps, db, held, changed, isEnabling ? channelStatus.enabled : channelStatus.disabled);
    return changed.length;
  }
  if (action === 'delete_disabled_keys') {
    const off = keys.filter(({ status }) => status === channelStatus.autoDisabled);
    await removeKeys(deps, db, held, off);
    return off.length;
  }
  const key = wanted.id === undefined ? keys[wanted.index ?? -1] : keys.find(({ id }) => id === wanted.id);
  if (!key) throw new AppError('channel_key_unknown');
  if (action === 'delete_key') await removeKeys(deps, db, held, [key]);
  else if (action === 'limit_key') await channelKeys.putLimits(db, row.id, key.id, limitsText(wanted.limits));
  else {
    const status = action === 'enable_key' ? channelStatus.enabled : channelStatus.disabled;
    await putStatus(deps, db, held, [key], status);
  }
  return 1;
}

/** Only limits are stored: a key without any has no text. */
function limitsText(limits: KeyLimits = {}): string {
  const set = Object.entries(limits).filter(([, limit = 0]) => limit > 0);
  return set.length === 0 ? '' : JSON.stringify(Object.fromEntries(set));
}

async function putStatus(
  deps: ChannelsDeps,
  db: Db,
  { row, keys }: HeldKeys,
  changed: readonly OpenKey[],
  status: number,
  reason = '',
): Promise<void> {
  const changedAt = seconds(deps.clock);
  await channelKeys.putStates(
    db,
    changed.map(({ id }) => ({
      channel_id: row.id,
      key_id: id,
      status,
      reason: reason.slice(0, 1_000),
      changed_at: changedAt,
    })),
  );
  const ids = new Set(changed.map(({ id }) => id));
  const after = keys.map((key) => (ids.has(key.id) ? { ...key, status } : key));
  if (keys.some(isOn) !== after.some(isOn)) await followKeys(deps, db, row, after.some(isOn));
}

async function removeKeys(
  deps: ChannelsDeps,
  db: Db,
  { row, keys }: HeldKeys,
  removed: readonly OpenKey[],
): Promise<void> {
  if (removed.length === 0) return;
  const left = keys.filter((key) => !removed.includes(key));
  if (left.length === 0) throw new AppError('channel_last_key');
  const text = joinKeys(
    row.type,
    left.map(({ key }) => key),
  );
  const sealed = sealKey(deps.sealer, row.id, text);
  await channelRows.update(db, row.id, sealed);
  await channelKeys.removeKeys(
    db,
    row.id,
    removed.map(({ id }) => id),
  );
  if (keys.some(isOn) !== left.some(isOn)) await followKeys(deps, db, row, left.some(isOn));
}

/** Called after a change of the keys: removes the states of deleted keys and updates the channel's status. */
export async function afterKeyChange(
  deps: ChannelsDeps,
  db: Db,
  before: ChannelRow,
  row: ChannelRow,
): Promise<void> {
  if (row.multi_key_mode === '' || row.key_sealed === before.key_sealed) return;
  const keys = await keysIn(deps, db, row);
  const ids = new Set(keys.map(({ id }) => id));
  const states = await channelKeys.ofChannel(db, row.id);
  const gone = states.filter(({ key_id: id }) => !ids.has(id)).map(({ key_id: id }) => id);
  await channelKeys.removeKeys(db, row.id, gone);
  await followKeys(deps, db, row, keys.some(isOn));
}
