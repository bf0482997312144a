import { Button, Group, Modal, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type PriceChange, tokenClasses, type TokenClass } from '@tollgate/contract';
import { useState, type SubmitEvent } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { priceLabels } from '../base/classes.ts';
import { text } from '../base/text.ts';
import { changesOf, formOf, hasOwnPrice, problemOf, removalOf, type PriceForm } from './price-form.ts';
import type { PriceRow } from './rows.ts';

interface PriceDialogProps {
  rows: readonly PriceRow[];
  quotaPerUnit: number;
  onApply: (changes: PriceChange[]) => void;
  onClose: () => void;
}

/** Sets the prices of one or several models, in dollars; each use mounts a new dialog. */
export function PriceDialog({ rows, quotaPerUnit, onApply, onClose }: PriceDialogProps) {
  const t = useTranslate();
  const [form, setForm] = useState(() => formOf(rows));
  const [tried, setTried] = useState(false);
  const problem = problemOf(form, rows);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem === null) onApply(changesOf(form, rows, quotaPerUnit));
  };
  const [first] = rows;
  const title =
    rows.length === 1 && first
      ? t(first.priced ? text.editOne : text.setPriceOf, { model: first.model })
      : t(text.editMany, { count: rows.length });
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t(text.close) }}>
      <form noValidate onSubmit={submit}>
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t(text.billing)}
            value={form.mode}
            onChange={(mode) => setForm({ ...form, mode })}
            data={[
              { value: 'token', label: t(text.perToken) },
              { value: 'call', label: t(text.perCall) },
              ...(rows.some(hasOwnPrice) ? [{ value: 'multiply', label: t(text.multiply) } as const] : []),
            ]}
          />
          <Fields form={form} setForm={setForm} rows={rows} tried={tried} />
          <Group justify="space-between" gap="xs">
            {rows.some(({ entries }) => Object.keys(entries).length > 0) && (
              <Button variant="subtle" color="red" onClick={() => onApply(removalOf(rows))}>
                {t(text.removePrice)}
              </Button>
            )}
            <Button type="submit" ms="auto">
              {t(text.apply)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Number of selected models without a price of their own, which a factor does not change. */
function Unmultiplied({ count }: { count: number }) {
  const t = useTranslate();
  return count > 0 && <p style={quiet}>{t(text.notMultiplied, { count })}</p>;
}

interface FieldsProps {
  form: PriceForm;
  setForm: (form: PriceForm) => void;
  rows: readonly PriceRow[];
  tried: boolean;
}

const quiet = { margin: 0, color: 'var(--tg-text-2)', fontSize: 12.5 } as const;
const problemTexts = { number: text.enterNumber, input: text.enterInput, zeroCall: text.zeroCall } as const;

/** The meaning of a blank field. Defaults derive from an input price, so a model without one shows none yet. */
function blankText(rows: readonly PriceRow[]) {
  if (rows.length > 1) return text.blankMany;
  return rows[0]?.priced ? text.blankOne : text.blankFresh;
}

function Fields({ form, setForm, rows, tried }: FieldsProps) {
  const t = useTranslate();
  const problem = problemOf(form, rows);
  const error = tried && problem !== null && t(problemTexts[problem]);
  if (form.mode === 'multiply')
    return (
      <>
        <TextInput
          label={t(text.factor)}
          description={t(text.factorHint)}
          inputMode="decimal"
          value={form.factor}
          error={error}
          onChange={(event) => setForm({ ...form, factor: event.currentTarget.value })}
        />
        <Unmultiplied count={rows.filter((row) => !hasOwnPrice(row)).length} />
      </>
    );
  const names: readonly (TokenClass | 'call')[] = form.mode === 'call' ? ['call'] : tokenClasses;
  const row = rows.length === 1 ? rows[0] : undefined;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {names.map((name) => {
          const now = row?.dollars[name];
          return (
            <TextInput
              key={name}
              label={t(priceLabels[name])}
              inputMode="decimal"
              leftSection="$"
              placeholder={now === undefined ? '' : formatPrice(now).slice(1)}
              value={form.dollars[name]}
              error={(name === 'input' || name === 'call') && error}
              onChange={(event) =>
                setForm({ ...form, dollars: { ...form.dollars, [name]: event.currentTarget.value } })
              }
            />
          );
        })}
      </SimpleGrid>
      {form.mode === 'token' && <p style={quiet}>{t(blankText(rows))}</p>}
    </>
  );
}
