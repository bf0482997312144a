import { channelStatus, testOutcome, type ChannelData } from '@tollgate/contract';

/** A row of the page: a channel, or in tag mode a tag with its channels. */
export type ChannelRow =
  | { kind: 'channel'; id: string; channel: ChannelData }
  | { kind: 'tag'; id: string; tag: string; channels: ChannelData[] };

const rowOf = new WeakMap<ChannelData, ChannelRow>();

/** An unchanged channel keeps its row object, so that the table does not render it again. */
export const channelRows = (channels: readonly ChannelData[]): ChannelRow[] =>
  channels.map((channel) => {
    const row = rowOf.get(channel) ?? { kind: 'channel', id: String(channel.id), channel };
    rowOf.set(channel, row);
    return row;
  });

/** One row for each tag, in the order of the list; channels without a tag share one row. */
export function tagRows(channels: readonly ChannelData[]): ChannelRow[] {
  const byTag = new Map<string, ChannelData[]>();
  for (const channel of channels) {
    const tag = channel.tag ?? '';
    byTag.set(tag, [...(byTag.get(tag) ?? []), channel]);
  }
  return [...byTag].map(([tag, members]) => ({ kind: 'tag', id: `tag:${tag}`, tag, channels: members }));
}

/** The channels of a tag, as expandable rows. */
export const innerRows = (row: ChannelRow): ChannelRow[] =>
  row.kind === 'tag' ? channelRows(row.channels) : [];

export const isEnabled = (channel: ChannelData): boolean => channel.status === channelStatus.enabled;

/** An enabled channel with a failed last test: it still receives calls. */
export const isFailing = (channel: ChannelData): boolean =>
  isEnabled(channel) && channel.test_outcome === testOutcome.failed;

/** The common value, or null if the values differ. */
export function common<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}
