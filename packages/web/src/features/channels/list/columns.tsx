import type { ChannelData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nothing } from '../../../lib/format/nothing.ts';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { HealthBars, ratesOf } from '../../../shared/health-bars/health-bars.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { Dot } from '../../../ui/dot.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { Groups, NumberCell, Provider, ResponseTime, Status, UsedBalance } from './cells.tsx';
import { healthQuery, splitList } from '../base/queries.ts';
import { RowActions } from './row-actions.tsx';
import { common, isEnabled, isFailing, type ChannelRow } from '../base/rows.ts';
import { channelSearch } from '../base/search.ts';
import { TagActions } from './tag-actions.tsx';
import classes from './columns.module.css';
import { tagText, text } from '../base/text.ts';

type TagRow = Extract<ChannelRow, { kind: 'tag' }>;

/** A column with different contents for channels and tags. */
const column = (
  base: Omit<Column<ChannelRow>, 'render'>,
  ofChannel: (channel: ChannelData) => ReactNode,
  ofTag: (row: TagRow) => ReactNode,
): Column<ChannelRow> => ({
  ...base,
  render: (row) => (row.kind === 'channel' ? ofChannel(row.channel) : ofTag(row)),
});

const minPriority = -999;

export const channelColumns: readonly Column<ChannelRow>[] = [
  column(
    { id: 'id', sort: 'id', title: text.id, roomy: true },
    (channel) => channel.id,
    () => null,
  ),
  column(
    { id: 'name', sort: 'name', title: text.name, role: 'title', fixed: true },
    (channel) => <Name channel={channel} />,
    (row) => <TagName row={row} />,
  ),
  column(
    { id: 'group', title: text.group, roomy: true },
    (channel) => <Groups group={channel.group} />,
    (row) => (
      <Groups group={[...new Set(row.channels.flatMap((channel) => splitList(channel.group)))].join(',')} />
    ),
  ),
  column(
    { id: 'type', sort: 'type', title: text.type, card: 'line', roomy: true },
    (channel) => <Provider channel={channel} />,
    () => null,
  ),
  column(
    { id: 'models', title: text.models, hidden: true },
    (channel) => <Models models={channel.models} />,
    () => null,
  ),
  column(
    { id: 'status', sort: 'status', title: text.status, card: 'corner' },
    (channel) => <Status channel={channel} />,
    (row) => <EnabledOf row={row} />,
  ),
  column(
    { id: 'response', sort: 'response_time', title: text.responseTime },
    (channel) => <ResponseTime channel={channel} />,
    () => null,
  ),
  column(
    // As wide as its bars from the start: bars that come late must not widen a table that fits.
    { id: 'health', title: text.health, width: '84px' },
    (channel) => <Health id={channel.id} />,
    () => null,
  ),
  column(
    { id: 'balance', sort: 'used_quota', title: text.usedBalance, align: 'end', card: 'line' },
    (channel) => <UsedBalance channel={channel} />,
    (row) => <Money quota={row.channels.reduce((sum, channel) => sum + channel.used_quota, 0)} />,
  ),
  column(
    { id: 'priority', sort: 'priority', title: text.priority, roomy: true },
    (channel) => (
      <LabelledNumber channel={channel} field="priority" min={minPriority} title={text.priority} />
    ),
    (row) => common(row.channels.map((channel) => channel.priority)) ?? nothing,
  ),
  column(
    { id: 'weight', sort: 'weight', title: text.weight, roomy: true },
    (channel) => <LabelledNumber channel={channel} field="weight" min={0} title={text.weight} />,
    (row) => common(row.channels.map((channel) => channel.weight)) ?? nothing,
  ),
  column(
    { id: 'actions', title: text.actions, role: 'actions', fixed: true },
    (channel) => <RowActions channel={channel} />,
    (row) => (row.tag === '' ? null : <TagActions tag={row.tag} />),
  ),
];

function Name({ channel }: { channel: ChannelData }) {
  const [, setSearch] = useUrlState(channelSearch);
  return (
    <span className={classes.name}>
      <TextButton title={channel.name} onClick={() => setSearch({ edit: String(channel.id) })}>
        {channel.name}
      </TextButton>
      {channel.tag && <Tag tone="info">{channel.tag}</Tag>}
    </span>
  );
}

/** Results of the channel in the last hour; empty without calls. */
function Health({ id }: { id: number }) {
  const { data } = useQuery(healthQuery);
  const row = data?.rows.find(({ channel }) => channel === id);
  return row ? <HealthBars rates={ratesOf(row.series)} /> : nothing;
}

function TagName({ row }: { row: TagRow }) {
  const t = useTranslate();
  return (
    <span className="inline-row">
      <strong>{row.tag === '' ? t(tagText.untagged) : row.tag}</strong>
      <Tag>{t(tagText.tagRow, { count: row.channels.length })}</Tag>
    </span>
  );
}

function EnabledOf({ row }: { row: TagRow }) {
  const t = useTranslate();
  const count = row.channels.length;
  const enabled = row.channels.filter(isEnabled).length;
  const failing = row.channels.filter(isFailing).length;
  if (failing === 0) return t(tagText.enabledOf, { enabled, count });
  return <Dot tone="bad">{t(tagText.failingOf, { enabled, count, failing })}</Dot>;
}

function Models({ models }: { models: string }) {
  const t = useTranslate();
  const names = splitList(models);
  return <span title={names.join('\n')}>{t(text.modelCount, { count: names.length })}</span>;
}

interface LabelledNumberProps {
  channel: ChannelData;
  field: 'priority' | 'weight';
  min: number;
  title: Text;
}

function LabelledNumber({ channel, field, min, title }: LabelledNumberProps) {
  const t = useTranslate();
  return <NumberCell channel={channel} field={field} min={min} label={`${t(title)}: ${channel.name}`} />;
}
