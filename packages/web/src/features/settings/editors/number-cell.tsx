import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { readNumber } from './numbers.ts';
import { text } from './text.ts';

interface NumberCellProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  /** Whole numbers of at least this; without it any number of at least 0. */
  wholeFrom?: number;
}

/** A number in a row. What is no number is pointed out and never written; on leaving, the last number comes back. */
export function NumberCell({ label, value, onChange, wholeFrom }: NumberCellProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const bad = typed !== null && readNumber(typed, wholeFrom) === null;
  return (
    <TextInput
      size="xs"
      aria-label={label}
      inputMode="decimal"
      value={typed ?? String(value)}
      error={bad && (wholeFrom === undefined ? t(text.enterNumber) : t(text.enterWhole, { min: wholeFrom }))}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        const number = readNumber(next, wholeFrom);
        if (number !== null) onChange(number);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
