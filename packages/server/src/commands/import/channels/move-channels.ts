import { type AppError, channelStatus, product } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { adoptChannel } from '../../../services/calls/channels/index.ts';
import type { Db } from '../../../store/index.ts';
import type { Ids } from '../kit/ids.ts';
import { counting, type Report } from '../kit/report.ts';
import { channelForm, leftOfChannel, pastOf } from './channel-form.ts';
import { pricedName, type SourceChannel } from './read-channels.ts';
import { type KeyPart, keysOf } from './split-keys.ts';

export interface MoveChannels {
  db: Db;
  sealer: Sealer;
  ids: Ids;
  report: Report;
  /** Models that no channel may offer here. */
  withheld: ReadonlySet<string>;
  /** Channels that must stay off, and why. */
  conflicts: ReadonlyMap<number, string>;
}

/**
 * Writes the channels. Answers the models that the ones which are on offer, by the names that they are priced by. A channel with several keys becomes as many
 * channels under one tag, which share its weight: the first has its id, the others come behind all.
 */
export async function moveChannels(
  move: MoveChannels,
  channels: readonly SourceChannel[],
): Promise<Set<string>> {
  const { report, ids } = move;
  const count = counting(report, 'channels', channels.length);
  const offered = new Set<string>();
  let behind = channels.reduce((most, { id }) => Math.max(most, id), 0);
  for (const channel of channels) {
    const reasons = reasonsOff(channel, move.conflicts);
    const keys = keysOf(channel).map((part) => (reasons.length > 0 ? switchedOff(part) : part));
    if (reasons.length > 0 && isOn(channel))
      report.channelsOff.push({
        id: ids.channel(channel.id),
        name: nameOf(channel),
        reason: reasons.join('; '),
      });
    const weight = Math.max(0, channel.cells.whole('weight'));
    for (const [index, part] of keys.entries()) {
      if (index > 0) behind += 1;
      const id = ids.channel(index === 0 ? channel.id : behind);
      const form = channelForm(channel, move.withheld);
      const shared = keys.length === 1 ? form : ofSeveral(form, { index, count: keys.length, weight });
      const fault = await adoptChannel(
        { db: move.db, sealer: move.sealer, types: channelTypes },
        { id, input: { ...shared, key: '', status: part.status }, key: part.key, past: pastOf(channel) },
      );
      count.wrote(1);
      noteFault(report, { id, name: shared.name }, part, fault);
      if (part.status === channelStatus.enabled && !fault)
        for (const model of shared.models.split(','))
          if (model.trim() !== '') offered.add(pricedName(channel, model.trim()));
    }
    noteDifferences(report, channel, keys.length);
  }
  return offered;
}

const ofSeveral = <Form extends { name: string; tag: string; weight: number }>(
  form: Form,
  { index, count, weight }: { index: number; count: number; weight: number },
): Form => ({
  ...form,
  name: `${form.name.slice(0, 90)} #${index + 1}`,
  tag: form.tag || form.name,
  weight: weight === 0 ? 0 : Math.max(1, Math.round(weight / count)),
});

function noteFault(
  report: Report,
  channel: { id: number; name: string },
  { status }: KeyPart,
  fault: AppError | undefined,
): void {
  if (fault && status === channelStatus.enabled)
    report.channelsOff.push({ ...channel, reason: fault.say('en') });
}

/** Why a channel must not serve as it is: its calls would not be the same. */
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

/** Neither a test nor a vendor's recovery switches it on again. */
const switchedOff = (part: KeyPart): KeyPart => ({ ...part, status: channelStatus.disabled });

function noteDifferences(report: Report, channel: SourceChannel, keys: number): void {
  const name = `Channel ${channel.id} (${nameOf(channel)})`;
  if (keys > 1) report.notes.push(`${name} had ${keys} keys: it is ${keys} channels under one tag now.`);
  for (const { words, off } of channel.changes) if (!off) report.notes.push(`${name} ${words}.`);
}
