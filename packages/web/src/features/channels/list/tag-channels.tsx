import { useMemo } from 'react';
import { useSay } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { channelColumns } from './columns.tsx';
import { channelRows, isEnabled, type ChannelRow } from '../base/rows.ts';
import { text } from '../base/text.ts';

type TagRow = Extract<ChannelRow, { kind: 'tag' }>;

/** The channels of a tag, under its row. */
export function TagChannels({ row }: { row: TagRow }) {
  const say = useSay();
  const rows = useMemo(() => channelRows(row.channels), [row.channels]);
  return (
    <DataTable<ChannelRow>
      name="channels"
      label={`${say(text.title)}: ${row.tag}`}
      columns={channelColumns}
      rowId={(each) => each.id}
      query={{ data: rows, error: null, isFetching: false, refetch: () => undefined }}
      faded={(each) => each.kind === 'channel' && !isEnabled(each.channel)}
      empty={null}
      bare
    />
  );
}
