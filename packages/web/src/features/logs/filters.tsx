import { Button, Collapse, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ListFilter } from 'lucide-react';
import { useSay } from '../../lib/i18n.ts';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import type { RangeState } from '../../shared/time-range/range.ts';
import { TimeRange } from '../../shared/time-range/time-range.tsx';
import { text } from './text.ts';
import { logTypes } from './types.ts';

export interface LogFilterState extends RangeState {
  type: number;
  token: string;
  model: string;
  group: string;
  request: string;
  username: string;
  channel: number;
}

interface FiltersProps {
  value: LogFilterState;
  isAdmin: boolean;
  onChange: (change: Partial<LogFilterState>) => void;
}

const rare = ['group', 'request', 'channel'] as const;
const noFilters: LogFilterState = {
  range: 'today',
  start: 0,
  end: 0,
  type: 0,
  token: '',
  model: '',
  group: '',
  request: '',
  username: '',
  channel: 0,
};

/** The usual filters in sight, the rare ones one click away. */
export function Filters({ value, isAdmin, onChange }: FiltersProps) {
  const say = useSay();
  const [opened, { toggle }] = useDisclosure(rare.some((name) => value[name] !== noFilters[name]));
  const isFiltered = JSON.stringify(value) !== JSON.stringify(noFilters);
  return (
    <div style={{ display: 'grid', gap: 8, flex: '1 1 0', minWidth: 0 }}>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        <TimeRange value={value} onChange={onChange} />
        <Select
          aria-label={say(text.type)}
          w={130}
          data={[
            { value: '0', label: say(text.typeAll) },
            ...Object.entries(logTypes).map(([type, { word }]) => ({ value: type, label: say(word) })),
          ]}
          value={String(value.type)}
          onChange={(type) => onChange({ type: Number(type ?? 0) })}
          allowDeselect={false}
        />
        <SearchField
          label={say(text.model)}
          value={value.model}
          width={170}
          onChange={(model) => onChange({ model })}
        />
        <SearchField
          label={say(text.token)}
          value={value.token}
          width={150}
          icon={false}
          onChange={(token) => onChange({ token })}
        />
        {isAdmin && (
          <SearchField
            label={say(text.user)}
            value={value.username}
            width={130}
            icon={false}
            onChange={(username) => onChange({ username })}
          />
        )}
        <Button
          variant="default"
          leftSection={<ListFilter size={14} />}
          onClick={toggle}
          aria-expanded={opened}
        >
          {say(text.moreFilters)}
        </Button>
        {isFiltered && (
          <Button variant="subtle" color="gray" c="var(--tg-text-2)" onClick={() => onChange(noFilters)}>
            {say(text.reset)}
          </Button>
        )}
      </div>
      <Collapse expanded={opened}>
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
          <SearchField
            label={say(text.group)}
            value={value.group}
            width={140}
            icon={false}
            onChange={(group) => onChange({ group })}
          />
          {isAdmin && (
            <SearchField
              label={say(text.channelId)}
              value={value.channel === 0 ? '' : String(value.channel)}
              width={120}
              icon={false}
              onChange={(channel) => onChange({ channel: Math.max(0, Math.trunc(Number(channel)) || 0) })}
            />
          )}
          <SearchField
            label={say(text.requestId)}
            value={value.request}
            width={260}
            icon={false}
            onChange={(request) => onChange({ request: request.trim() })}
          />
        </div>
      </Collapse>
    </div>
  );
}
