import { channelStatus } from '@tollgate/contract';
import { isObject, type JsonObject, textOf } from '../../../lib/json.ts';
import type { AdoptedKey } from '../../../services/calls/channels/index.ts';
import type { SourceChannel } from './read-channels.ts';

/** The keys of a channel of the source with the state of each, and the selection mode; '' for a channel with one key. */
export function keysOf({ key, cells }: SourceChannel): {
  keys: AdoptedKey[];
  mode: 'random' | 'polling' | '';
} {
  const info = cells.json('channel_info');
  const keys = info.is_multi_key === true ? listed(key) : [];
  if (keys.length === 0) return { keys: [stateOf(key.trim(), 0, {})], mode: '' };
  return {
    keys: keys.map((each, index) => stateOf(each, index, info)),
    mode: info.multi_key_mode === 'polling' ? 'polling' : 'random',
  };
}

/** The lists of the source identify a key by its position. Enabled keys are in none of them. */
function stateOf(key: string, index: number, info: JsonObject): AdoptedKey {
  const entry = (list: string) => {
    const entries = info[list];
    return isObject(entries) ? entries[String(index)] : undefined;
  };
  return {
    key,
    status: statusOf(Number(entry('multi_key_status_list') ?? channelStatus.enabled)),
    reason: textOf(entry('multi_key_disabled_reason')),
    changedAt: Math.trunc(Number(entry('multi_key_disabled_time') ?? 0)) || 0,
  };
}

/** A JSON list of texts or of files (Google); otherwise one key per line. */
function listed(text: string): string[] {
  const whole = text.trim();
  if (whole.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(whole);
      if (Array.isArray(list))
        return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    } catch {
      // Not JSON: lines.
    }
  }
  return whole
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** 1 enabled, 3 disabled by the program itself; every other value is disabled. */
export const statusOf = (status: number): number =>
  status === channelStatus.enabled || status === channelStatus.autoDisabled ? status : channelStatus.disabled;
