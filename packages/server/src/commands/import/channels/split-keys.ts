import { channelStatus } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { SourceChannel } from './read-channels.ts';

/** One key of a channel of the source: here a channel of its own. */
export interface KeyPart {
  key: string;
  status: number;
}

/** The keys of a channel, with the state of each; one unless the source says that it has several. */
export function keysOf({ key, cells }: SourceChannel): KeyPart[] {
  const status = statusOf(cells.whole('status'));
  const info = cells.json('channel_info');
  if (info.is_multi_key !== true) return [{ key: key.trim(), status }];
  const states = isObject(info.multi_key_status_list) ? info.multi_key_status_list : {};
  const keys = listed(key);
  if (keys.length === 0) return [{ key: key.trim(), status }];
  return keys.map((each, index) => {
    const own = Number(states[String(index)] ?? channelStatus.enabled);
    return { key: each, status: own === channelStatus.enabled ? status : statusOf(own) };
  });
}

/** A list in JSON, of texts or of files as Google's are; else one key a line. */
function listed(text: string): string[] {
  const whole = text.trim();
  if (whole.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(whole);
      if (Array.isArray(list))
        return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    } catch {
      // Not JSON after all: lines.
    }
  }
  return whole
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** 1 on, 3 switched off by the program itself; everything else is off. */
const statusOf = (status: number): number =>
  status === channelStatus.enabled || status === channelStatus.autoDisabled ? status : channelStatus.disabled;
