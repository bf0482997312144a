import { Suspense } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { fromDateText, toDateText } from '../date-time/date-text.ts';

/** The calendar loads with the first custom range. */
const DateTimeField = lazy(async () => ({
  default: (await import('../date-time/date-time-field.tsx')).DateTimeField,
}));

const text = texts({
  start: { zh: '开始时间', en: 'From' },
  end: { zh: '结束时间', en: 'To' },
});

interface Span {
  /** Unix seconds; 0 for no bound. */
  start: number;
  end: number;
}

interface SpanFieldsProps {
  value: Span;
  disabled?: boolean;
  onChange: (value: Span) => void;
}

const textOrNull = (seconds: number) => (seconds > 0 ? toDateText(seconds) : null);

/** The two bounds of a custom range. */
export function SpanFields({ value, disabled = false, onChange }: SpanFieldsProps) {
  const t = useTranslate();
  return (
    <Suspense fallback={null}>
      {(['start', 'end'] as const).map((bound) => (
        <DateTimeField
          key={bound}
          w={190}
          disabled={disabled}
          aria-label={t(text[bound])}
          placeholder={t(text[bound])}
          value={textOrNull(value[bound])}
          onChange={(moment) =>
            onChange({ start: value.start, end: value.end, [bound]: fromDateText(moment) ?? 0 })
          }
        />
      ))}
    </Suspense>
  );
}
