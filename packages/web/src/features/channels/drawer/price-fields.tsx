import { NumberInput } from '@mantine/core';
import { entriesFor, entriesOf, type PriceTableKey, type PriceTables } from '@tollgate/contract';
import { useState, type KeyboardEvent } from 'react';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useSavePrices } from '../../../shared/prices/save-prices.ts';
import { formText } from './form-text.ts';
import classes from './price-fields.module.css';

interface PriceFieldsProps {
  /** Models without a price. */
  models: readonly string[];
  /** The tables as they are stored. */
  tables: PriceTables;
  /** True for tools, which have a price per call; it may be 0. */
  isByCall?: boolean;
}

/** Dollars per million tokens or per call, as typed; '' for none. */
type Typed = Readonly<Record<string, Partial<Record<Field, number | string>>>>;

const fields = {
  input: { label: formText.inputOf, placeholder: formText.inputPrice },
  output: { label: formText.outputOf, placeholder: formText.outputPrice },
  call: { label: formText.callOf, placeholder: formText.callPrice },
} as const;
type Field = keyof typeof fields;

const isTyped = (value: number | string | undefined): boolean => value !== undefined && value !== '';

/** Sets prices of a channel's models inside its form; the page of prices has all other fields. */
export function PriceFields({ models, tables, isByCall = false }: PriceFieldsProps) {
  const t = useTranslate();
  const perUnit = useStatus()?.quota_per_unit ?? 500_000;
  const [typed, setTyped] = useState<Typed>({});
  const saving = useSavePrices();
  const priced = models.filter((model) => {
    const { input, call } = typed[model] ?? {};
    return isByCall ? isTyped(call) : Number(input) > 0;
  });
  const save = () =>
    saving.mutate(
      priced.map((model) => {
        const { input, output, call } = typed[model] ?? {};
        const dollars = isByCall
          ? { call: Number(call) }
          : { input: Number(input), ...(isTyped(output) && { output: Number(output) }) };
        const set = entriesFor(dollars, perUnit);
        const now = entriesOf(tables, model);
        const keys = Object.keys(set) as PriceTableKey[];
        return { model, set, seen: Object.fromEntries(keys.map((key) => [key, now[key] ?? null])) };
      }),
      { onSuccess: () => toast.good(t(formText.pricesSaved)) },
    );
  // Enter would submit the form of the channel.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (priced.length > 0) save();
  };
  return (
    <div className={classes.prices}>
      {models.map((model) => (
        <div key={model} className={classes.row}>
          <span className={classes.model}>{model}</span>
          {(isByCall ? (['call'] as const) : (['input', 'output'] as const)).map((name) => (
            <NumberInput
              key={name}
              aria-label={t(fields[name].label, { model })}
              placeholder={t(fields[name].placeholder)}
              size="xs"
              prefix="$"
              min={0}
              hideControls
              value={typed[model]?.[name] ?? ''}
              onChange={(value) => setTyped((all) => ({ ...all, [model]: { ...all[model], [name]: value } }))}
              onKeyDown={onKeyDown}
            />
          ))}
        </div>
      ))}
      <MutationButton
        size="compact-sm"
        variant="default"
        disabled={priced.length === 0}
        loading={saving.isPending}
        onClick={save}
      >
        {priced.length === 0 ? t(formText.savePricesNone) : t(formText.savePrices, { count: priced.length })}
      </MutationButton>
    </div>
  );
}
