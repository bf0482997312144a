import { Button, NumberInput } from '@mantine/core';
import { quotaPresets } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { texts, useSay } from '../../lib/i18n.ts';
import { formatMoney } from '../../lib/number-format.ts';
import { useQuotaDisplay } from '../../lib/status.ts';
import { Presets } from '../form-drawer/presets.tsx';

const text = texts({
  quota: { zh: '额度', en: 'Quota' },
  worth: { zh: '等价金额 {money}', en: 'Worth {money}' },
});

interface QuotaFieldProps {
  label?: string;
  value?: number | string;
  onChange: (value: number | string) => void;
  onBlur?: (() => void) | undefined;
  error?: ReactNode;
  /** Also below zero, for corrections. */
  signed?: boolean;
}

/** An amount in quota units, with what it is worth and the usual amounts as buttons (specification 2, section 9). */
export function QuotaField({ label, value = '', onChange, onBlur, error, signed = false }: QuotaFieldProps) {
  const say = useSay();
  const { perUnit } = useQuotaDisplay();
  const worth = (quota: number) => formatMoney(quota, { perUnit, inCurrency: true });
  return (
    <div>
      <NumberInput
        label={label ?? say(text.quota)}
        description={say(text.worth, { money: worth(Number(value) || 0) })}
        {...(signed ? {} : { min: 0 })}
        allowNegative={signed}
        allowDecimal={false}
        thousandSeparator=","
        step={perUnit}
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        error={error}
      />
      <Presets>
        {quotaPresets.map((preset) => (
          <Button key={preset} variant="default" size="compact-xs" onClick={() => onChange(preset)}>
            {worth(preset).replace(/\.00$/, '')}
          </Button>
        ))}
      </Presets>
    </div>
  );
}
