import { Button, Group, Modal, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useTranslate, type Translate, type Text } from '../../../../lib/i18n.ts';
import { imagePriceText } from '../../../../shared/prices/image-price-text.ts';
import { costOf, costProblems, emptyCost, formOfRow, switchEntry, type CostForm } from './cost-form.ts';
import { dollarsOf, outputDollarsOf, type ModelCost, type PriceRow } from './model-prices.ts';
import { text } from './text.ts';

/** The task of the dialog. */
export type CostTask =
  | { kind: 'add'; taken: readonly string[] }
  | { kind: 'edit'; row: PriceRow }
  | { kind: 'fill'; names: readonly string[] };

const quiet = { margin: 0, color: 'var(--tg-text-2)', fontSize: 12.5 } as const;

interface CostDialogProps {
  task: CostTask;
  onApply: (names: readonly string[], cost: ModelCost) => void;
  onClose: () => void;
}

const titleOf = (task: CostTask, t: Translate): string =>
  task.kind === 'add'
    ? t(text.add)
    : task.kind === 'edit'
      ? t(text.editModel, { name: task.row.name })
      : t(text.batchTitle, { count: task.names.length });

/** The form of a task: its input, faults and submission. */
function useCostForm(task: CostTask, onApply: CostDialogProps['onApply']) {
  const [form, setForm] = useState(() => (task.kind === 'edit' ? formOfRow(task.row) : emptyCost));
  const [tried, setTried] = useState(false);
  const problems = costProblems(form, {
    asked: task.kind === 'add',
    taken: task.kind === 'add' ? task.taken : [],
    filling: task.kind === 'fill',
  });
  /** Invalid input is marked at once, missing input only on submission. */
  const problemOf = (field: keyof CostForm) => (tried || form[field] !== '' ? problems[field] : undefined);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    const cost = costOf(form);
    if (cost === null || Object.keys(problems).length > 0) return;
    const names =
      task.kind === 'add' ? [form.name.trim()] : task.kind === 'edit' ? [task.row.name] : task.names;
    onApply(names, cost);
  };
  return { form, setForm, problemOf, submit };
}

/** Sets the cost of one or several models; each task mounts a new one. */
export function CostDialog({ task, onApply, onClose }: CostDialogProps) {
  const t = useTranslate();
  const { form, setForm, problemOf, submit } = useCostForm(task, onApply);
  const field = (name: keyof CostForm, label: Text) => {
    const problem = problemOf(name);
    return (
      <TextInput
        label={t(label)}
        inputMode={name === 'name' ? undefined : 'decimal'}
        value={form[name]}
        error={problem !== undefined && t(text[problem])}
        onChange={(event) => setForm({ ...form, [name]: event.currentTarget.value })}
      />
    );
  };

  return (
    <Modal
      opened
      onClose={onClose}
      title={titleOf(task, t)}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      <form noValidate onSubmit={submit}>
        <Stack gap="sm">
          {task.kind === 'add' && field('name', text.model)}
          <SegmentedControl
            aria-label={t(text.billing)}
            value={form.mode}
            onChange={(mode) => setForm({ ...form, mode })}
            data={[
              { value: 'token', label: t(text.perToken) },
              { value: 'request', label: t(text.perRequest) },
            ]}
          />
          {form.mode === 'request' ? (
            <>
              {field('price', text.price)}
              <p style={quiet}>{imagePriceText(t)}</p>
            </>
          ) : (
            <TokenFields form={form} setForm={setForm} field={field} />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t(text.cancel)}
            </Button>
            <Button type="submit">{t(text.apply)}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface TokenFieldsProps {
  form: CostForm;
  setForm: (form: CostForm) => void;
  field: (name: keyof CostForm, label: Text) => ReactNode;
}

/** Token prices in dollars or as ratios; the other unit is shown below. */
function TokenFields({ form, setForm, field }: TokenFieldsProps) {
  const t = useTranslate();
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t(text.entry)}
        value={form.entry}
        onChange={(entry) => setForm(switchEntry(form, entry))}
        data={[
          { value: 'dollars', label: t(text.asDollars) },
          { value: 'ratio', label: t(text.asRatio) },
        ]}
      />
      {form.entry === 'ratio' ? field('ratio', text.modelRatio) : field('inputDollars', text.inputPrice)}
      {form.entry === 'ratio'
        ? field('completionRatio', text.completionRatio)
        : field('outputDollars', text.outputPrice)}
      <p style={quiet}>{meaningOf(form, t)}</p>
      <p style={quiet}>{t(text.moreRatios)}</p>
    </>
  );
}

/** The dollars of the ratios, or the meaning of an empty field. */
function meaningOf(form: CostForm, t: Translate): string {
  const cost = costOf(form);
  if (cost?.mode !== 'token') return t(text.optional);
  const input = dollarsOf(cost.ratio);
  return cost.completionRatio === null
    ? `${t(text.becomesInput, { input })} · ${t(text.optional)}`
    : t(text.becomes, { input, output: outputDollarsOf(cost.ratio, cost.completionRatio) });
}
