import { Button, Group, NativeSelect } from '@mantine/core';
import { SlidersHorizontal } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { SpanFields } from '../time-range/span-fields.tsx';
import type { Scope } from './scope.ts';
import { text } from './text.ts';

const NarrowFields = lazy(async () => ({ default: (await import('./narrow-fields.tsx')).NarrowFields }));

const spans = [1, 7, 30, 90];

interface ScopeFieldsProps {
  value: Scope;
  disabled: boolean;
  onChange: (value: Scope) => void;
}

/** The repriced charges: a time range, and optional models, groups and a user. */
export function ScopeFields({ value, disabled, onChange }: ScopeFieldsProps) {
  const t = useTranslate();
  const [isNarrow, setNarrow] = useState(value.models.length > 0);
  return (
    <>
      <Group align="end" gap="xs">
        <NativeSelect
          label={t(text.days)}
          value={String(value.days)}
          disabled={disabled}
          onChange={(event) => onChange({ ...value, days: Number(event.currentTarget.value) })}
          data={[
            ...spans.map((count) => ({ value: String(count), label: t(text.lastDays, { count }) })),
            { value: '0', label: t(text.ownSpan) },
          ]}
        />
        {value.days === 0 && (
          <SpanFields
            value={value}
            disabled={disabled}
            onChange={(span) => onChange({ ...value, ...span })}
          />
        )}
        {!isNarrow && (
          <Button
            variant="default"
            leftSection={<SlidersHorizontal size={15} />}
            disabled={disabled}
            onClick={() => setNarrow(true)}
          >
            {t(text.narrow)}
          </Button>
        )}
      </Group>
      {isNarrow && (
        <Suspense fallback={null}>
          <NarrowFields value={value} disabled={disabled} onChange={onChange} />
        </Suspense>
      )}
    </>
  );
}
