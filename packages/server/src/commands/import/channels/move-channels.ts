import { channelStatus, product } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { adoptChannel, type AdoptedKey, maxKeys } from '../../../services/calls/channels/index.ts';
import type { Db } from '../../../store/index.ts';
import type { Ids } from '../kit/ids.ts';
import { counting, type Report } from '../kit/report.ts';
import { channelForm, leftOfChannel, pastOf } from './channel-form.ts';
import { pricedName, type SourceChannel } from './read-channels.ts';
import { keysOf, statusOf } from './split-keys.ts';

export interface MoveChannels {
  db: Db;
  sealer: Sealer;
  ids: Ids;
  report: Report;
  /** Models that no channel may offer here. */
  withheld: ReadonlySet<string>;
  /** Channels that must stay off, with the reasons. */
  conflicts: ReadonlyMap<number, string>;
}

/** Writes the channels. Returns the models of enabled channels, by their names in the price tables. */
export async function moveChannels(
  move: MoveChannels,
  channels: readonly SourceChannel[],
): Promise<Set<string>> {
  const { report, ids } = move;
  const count = counting(report, 'channels', channels.length);
  const offered = new Set<string>();
  for (const channel of channels) {
    const reasons = reasonsOff(channel, move.conflicts);
    const { keys, mode } = keysOf(channel);
    const id = ids.channel(channel.id);
    const form = channelForm(channel, move.withheld);
    const status = statusHere(channel, reasons, keys);
    if (reasons.length > 0 && isOn(channel))
      report.channelsOff.push({ id, name: form.name, reason: reasons.join('; ') });
    const fault = await adoptChannel(
      { db: move.db, sealer: move.sealer, types: channelTypes },
      { id, input: { ...form, multi_key_mode: mode || null, key: '', status }, keys, past: pastOf(channel) },
    );
    count.wrote(1);
    const serves = status === channelStatus.enabled;
    if (fault && serves) report.channelsOff.push({ id, name: form.name, reason: fault.say('en') });
    if (serves && !fault)
      for (const model of form.models.split(','))
        if (model.trim() !== '') offered.add(pricedName(channel, model.trim()));
    noteDifferences(report, channel, keys.length);
  }
  return offered;
}

/** With a reason, no test and no recovery of the vendor enables it again. Without an enabled key, no recovery of a key does. */
function statusHere(
  { cells }: SourceChannel,
  reasons: readonly string[],
  keys: readonly AdoptedKey[],
): number {
  if (reasons.length > 0) return channelStatus.disabled;
  const status = statusOf(cells.whole('status'));
  const hasKey = keys.some((key) => key.status === channelStatus.enabled);
  return status === channelStatus.enabled && !hasKey ? channelStatus.autoDisabled : status;
}

/** Reason why a channel must stay off: its calls would differ from those of the source. */
function reasonsOff(channel: SourceChannel, conflicts: ReadonlyMap<number, string>): string[] {
  const left = leftOfChannel(channel);
  const conflict = conflicts.get(channel.id);
  return [
    ...(left.length > 0 ? [`${product.name} does not have ${left.join(', ')}`] : []),
    ...channel.changes.filter(({ off }) => off).map(({ words }) => words),
    ...(conflict === undefined ? [] : [conflict]),
  ];
}

const isOn = ({ cells }: SourceChannel): boolean => cells.whole('status') === channelStatus.enabled;
const nameOf = ({ cells }: SourceChannel): string => cells.text('name');

function noteDifferences(report: Report, channel: SourceChannel, keys: number): void {
  const name = `Channel ${channel.id} (${nameOf(channel)})`;
  if (keys > maxKeys)
    report.notes.push(
      `${name} had ${keys} keys: the first ${maxKeys} are there, add the others to another channel.`,
    );
  for (const { words, off } of channel.changes) if (!off) report.notes.push(`${name} ${words}.`);
}
