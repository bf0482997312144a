import { Group } from '@mantine/core';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { boundsOf, rangeNames, type RangeName, type RangeState } from './range.ts';
import { SpanFields } from './span-fields.tsx';
import { ChoiceField } from '../filter-bar/choice-field.tsx';

const text = texts({
  label: { zh: '时间范围', en: 'Time range' },
  today: { zh: '今天', en: 'Today' },
  day: { zh: '最近 24 小时', en: 'Last 24 hours' },
  week: { zh: '最近 7 天', en: 'Last 7 days' },
  month: { zh: '最近 30 天', en: 'Last 30 days' },
  all: { zh: '全部时间', en: 'All time' },
  custom: { zh: '自定义…', en: 'Custom…' },
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

/** Selects a time range; 'custom' starts with the previous bounds. */
export function TimeRange({ value, onChange, choices = rangeNames }: TimeRangeProps) {
  const t = useTranslate();
  const choose = (next: RangeName) => {
    const now = Math.floor(Date.now() / 1000);
    onChange(
      next === 'custom' ? { range: next, ...boundsOf(value, now) } : { range: next, start: 0, end: 0 },
    );
  };
  return (
    <Group gap={8}>
      <ChoiceField
        aria-label={t(text.label)}
        w={150}
        data={choices.map((name) => ({ value: name, label: t(names[name]) }))}
        value={value.range}
        onChange={choose}
      />
      {value.range === 'custom' && (
        <SpanFields value={value} onChange={(span) => onChange({ ...value, ...span })} />
      )}
    </Group>
  );
}
