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
}

/** Dollars per million tokens, as typed; '' for none. */
type Typed = Readonly<Record<string, { input?: number | string; output?: number | string }>>;

/** Sets prices of a channel's models inside its form; the page of prices has all other fields. */
export function PriceFields({ models, tables }: PriceFieldsProps) {
  const t = useTranslate();
  const perUnit = useStatus()?.quota_per_unit ?? 500_000;
  const [typed, setTyped] = useState<Typed>({});
  const saving = useSavePrices();
  const priced = models.filter((model) => Number(typed[model]?.input) > 0);
  const save = () =>
    saving.mutate(
      priced.map((model) => {
        const { input, output } = typed[model] ?? {};
        const dollars = {
          input: Number(input),
          ...(output !== undefined && output !== '' && { output: Number(output) }),
        };
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
          {(['input', 'output'] as const).map((name) => (
            <NumberInput
              key={name}
              aria-label={t(name === 'input' ? formText.inputOf : formText.outputOf, { model })}
              placeholder={t(name === 'input' ? formText.inputPrice : formText.outputPrice)}
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
