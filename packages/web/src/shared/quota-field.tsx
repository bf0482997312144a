import { Button, NumberInput } from '@mantine/core';
import { quotaPresets } from '@tollgate/contract';
import { useState, type ReactNode } from 'react';
import { texts, useTranslate } from '../lib/i18n.ts';
import { formatMoney } from '../lib/format/number-format.ts';
import { useQuotaDisplay } from '../lib/api/status.ts';
import { Presets } from './form-drawer/presets.tsx';

const text = texts({
  quota: { zh: '额度（美元）', en: 'Amount (dollars)' },
});

interface QuotaFieldProps {
  label?: string;
  /** Name of a field whose label is elsewhere. */
  'aria-label'?: string;
  /** Quota units; '' for none. */
  value?: number | string;
  onChange: (value: number | string) => void;
  onBlur?: (() => void) | undefined;
  error?: ReactNode;
  /** Permits negative amounts, for corrections. */
  signed?: boolean;
  /** Marks the field as required. */
  withAsterisk?: boolean;
  /** Amounts offered as buttons, in quota units; common ones by default. */
  presets?: readonly number[];
}

/** Maximum decimals of an amount: finer than a quota unit. */
const dollarDigits = 6;

/** The text of a dollar field for an amount in quota units, and the amount of a typed text. */
function useDollars(units: number | string, perUnit: number, onChange: (units: number | string) => void) {
  const toDollars = (value: number | string) =>
    value === '' ? '' : Number((Number(value) / perUnit).toFixed(dollarDigits));
  // An unfinished number, such as a single minus, is no amount.
  const toUnits = (value: number | string) =>
    value === '' || Number.isNaN(Number(value)) ? '' : Math.round(Number(value) * perUnit);
  const [typed, setTyped] = useState<number | string>(() => toDollars(units));
  const [known, setKnown] = useState(units);
  // Set from outside: a preset, another record. Text in progress ("1.") does not change.
  if (known !== units) {
    setKnown(units);
    if (toUnits(typed) !== units) setTyped(toDollars(units));
  }
  const type = (value: number | string) => {
    setTyped(value);
    onChange(toUnits(value));
  };
  return [typed, type] as const;
}

/** An amount in dollars, with common amounts as buttons. */
export function QuotaField(props: QuotaFieldProps) {
  const {
    label,
    'aria-label': name,
    value = '',
    onChange,
    onBlur,
    error,
    signed = false,
    withAsterisk = false,
    presets = quotaPresets,
  } = props;
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  const [typed, type] = useDollars(value, perUnit, onChange);
  const worth = (quota: number) => formatMoney(quota, { perUnit, inCurrency: true });
  return (
    <div>
      <NumberInput
        {...(name === undefined ? { label: label ?? t(text.quota) } : { 'aria-label': name })}
        {...(signed ? {} : { min: 0 })}
        allowNegative={signed}
        withAsterisk={withAsterisk}
        decimalScale={dollarDigits}
        prefix="$"
        thousandSeparator=","
        value={typed}
        onChange={type}
        onBlur={onBlur}
        error={error}
      />
      {presets.length > 0 && (
        <Presets>
          {presets.map((preset) => (
            <Button key={preset} variant="default" size="compact-xs" onClick={() => onChange(preset)}>
              {worth(preset).replace(/\.00$/, '')}
            </Button>
          ))}
        </Presets>
      )}
    </div>
  );
}
