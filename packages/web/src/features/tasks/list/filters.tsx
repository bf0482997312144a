import { Button } from '@mantine/core';
import { Search } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { ChoiceField } from '../../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../../shared/filter-bar/search-field.tsx';
import type { RangeName, RangeState } from '../../../shared/time-range/range.ts';
import { TimeRange } from '../../../shared/time-range/time-range.tsx';
import { text } from '../base/text.ts';
import { platformLabel, statuses } from '../base/labels.ts';

export interface FilterState extends RangeState {
  id: string;
  channel: number;
  /** For songs and videos only. */
  platform?: string;
  status?: string;
}

interface FiltersProps<State extends FilterState> {
  value: State;
  isAdmin: boolean;
  /** The first is the default. */
  ranges: readonly [RangeName, ...RangeName[]];
  /** `typed` while the user types: Back then undoes the whole word, not a letter. */
  onChange: (change: Partial<FilterState>, options?: { typed: boolean }) => void;
  /** Refetches, also without changes. */
  onQuery: () => void;
}

const typing = { typed: true };

/** Filters of the task lists. */
export function Filters<State extends FilterState>(props: FiltersProps<State>) {
  const { value, ranges, onChange } = props;
  const { range, id, channel, platform = '', status = '' } = value;
  const isFiltered = range !== ranges[0] || id !== '' || channel !== 0 || platform !== '' || status !== '';
  const none = { range: ranges[0], start: 0, end: 0, id: '', channel: 0 };
  return (
    <FilterBar
      first={<TimeRange value={value} onChange={onChange} choices={ranges} />}
      usual={<UsualFilters {...props} />}
      onReset={
        isFiltered
          ? () => onChange(value.platform === undefined ? none : { ...none, platform: '', status: '' })
          : undefined
      }
    />
  );
}

function UsualFilters<State extends FilterState>({ value, isAdmin, onChange, onQuery }: FiltersProps<State>) {
  const t = useTranslate();
  return (
    <>
      {value.platform !== undefined && (
        <ChoiceField
          aria-label={t(text.platform)}
          w={130}
          data={[
            { value: '', label: t(text.anyPlatform) },
            ...['suno', 'video', 'batch'].map((name) => ({ value: name, label: t(platformLabel(name)) })),
          ]}
          value={value.platform}
          onChange={(platform) => onChange({ platform })}
        />
      )}
      {value.status !== undefined && (
        <ChoiceField
          aria-label={t(text.status)}
          w={140}
          data={[
            { value: '', label: t(text.anyStatus) },
            ...Object.entries(statuses).map(([name, { word }]) => ({ value: name, label: t(word) })),
          ]}
          value={value.status}
          onChange={(status) => onChange({ status })}
        />
      )}
      <SearchField
        label={t(text.taskId)}
        value={value.id}
        width={240}
        onChange={(id) => onChange({ id: id.trim().slice(0, 64) }, typing)}
      />
      {isAdmin && (
        <SearchField
          label={t(text.channelId)}
          value={value.channel === 0 ? '' : String(value.channel)}
          width={120}
          icon={false}
          onChange={(channel) => onChange({ channel: Math.max(0, Math.trunc(Number(channel)) || 0) }, typing)}
        />
      )}
      <Button variant="default" leftSection={<Search size={14} />} onClick={onQuery}>
        {t(text.query)}
      </Button>
    </>
  );
}
