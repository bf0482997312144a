import { type AppError, channelStatus } from '@tollgate/contract';
import type { Sealer } from '../../../lib/seal.ts';
import { channelTypes } from '../../../relay/registry.ts';
import { adoptChannel } from '../../../services/calls/channels/index.ts';
import type { Db } from '../../../store/index.ts';
import type { Ids } from '../kit/ids.ts';
import { counting, type Report } from '../kit/report.ts';
import { channelForm, leftOfChannel, pastOf } from './channel-form.ts';
import type { SourceChannel } from './read-channels.ts';
import { type KeyPart, keysOf } from './split-keys.ts';

export interface MoveChannels {
  db: Db;
  sealer: Sealer;
  ids: Ids;
  report: Report;
  /** Models that no channel may offer here. */
  withheld: ReadonlySet<string>;
}

/**
 * Writes the channels. Answers the models that the ones which are on offer. A channel with several keys becomes as many
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
    const keys = keysOf(channel);
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
        for (const model of shared.models.split(',')) if (model.trim() !== '') offered.add(model.trim());
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

function noteDifferences(report: Report, channel: SourceChannel, keys: number): void {
  const left = leftOfChannel(channel);
  const name = `Channel ${channel.id} (${channel.cells.text('name')})`;
  if (keys > 1) report.notes.push(`${name} had ${keys} keys: it is ${keys} channels under one tag now.`);
  if (left.length > 0) report.notes.push(`${name}: Tollgate does not have ${left.join(', ')}.`);
}
