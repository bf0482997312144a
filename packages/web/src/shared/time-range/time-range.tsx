import { Group, Select } from '@mantine/core';
import { Suspense } from 'react';
import { texts, useSay } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { fromDateText, toDateText } from '../date-time/date-text.ts';
import { boundsOf, rangeNames, type RangeName, type RangeState } from './range.ts';

/** The calendar comes with the first span that is none of the usual. */
const DateTimeField = lazy(async () => ({
  default: (await import('../date-time/date-time-field.tsx')).DateTimeField,
}));

const text = texts({
  label: { zh: '时间范围', en: 'Time range' },
  today: { zh: '今天', en: 'Today' },
  day: { zh: '最近 24 小时', en: 'Last 24 hours' },
  week: { zh: '最近 7 天', en: 'Last 7 days' },
  month: { zh: '最近 30 天', en: 'Last 30 days' },
  all: { zh: '全部时间', en: 'All time' },
  custom: { zh: '自定义…', en: 'Custom…' },
  start: { zh: '开始时间', en: 'From' },
  end: { zh: '结束时间', en: 'To' },
});

const names = {
  today: text.today,
  '24h': text.day,
  '7d': text.week,
  '30d': text.month,
  all: text.all,
  custom: text.custom,
} satisfies Record<RangeName, unknown>;

interface TimeRangeProps {
  value: RangeState;
  onChange: (value: RangeState) => void;
  /** Without 'all' for calls that need bounds. */
  choices?: readonly RangeName[];
}

const isName = (value: string | null): value is RangeName => rangeNames.some((name) => name === value);
const textOrNull = (seconds: number) => (seconds > 0 ? toDateText(seconds) : null);

/** Chooses a span of time; 'custom' begins with the bounds that were shown before. */
export function TimeRange({ value, onChange, choices = rangeNames }: TimeRangeProps) {
  const say = useSay();
  const choose = (next: string | null) => {
    if (!isName(next)) return;
    const now = Math.floor(Date.now() / 1000);
    onChange(
      next === 'custom' ? { range: next, ...boundsOf(value, now) } : { range: next, start: 0, end: 0 },
    );
  };
  return (
    <Group gap={8}>
      <Select
        aria-label={say(text.label)}
        w={150}
        data={choices.map((name) => ({ value: name, label: say(names[name]) }))}
        value={value.range}
        onChange={choose}
        allowDeselect={false}
      />
      {value.range === 'custom' && (
        <Suspense fallback={null}>
          <DateTimeField
            w={190}
            aria-label={say(text.start)}
            placeholder={say(text.start)}
            value={textOrNull(value.start)}
            onChange={(start) => onChange({ ...value, start: fromDateText(start) ?? 0 })}
          />
          <DateTimeField
            w={190}
            aria-label={say(text.end)}
            placeholder={say(text.end)}
            value={textOrNull(value.end)}
            onChange={(end) => onChange({ ...value, end: fromDateText(end) ?? 0 })}
          />
        </Suspense>
      )}
    </Group>
  );
}
