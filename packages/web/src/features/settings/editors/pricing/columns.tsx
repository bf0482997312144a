import { Button, Group } from '@mantine/core';
import {
  audioCompletionRatioFor,
  audioRatioFor,
  completionRatioFor,
  type PublishedRatios,
} from '@tollgate/contract';
import { nothing } from '../../../../lib/format/nothing.ts';
import { useTranslate } from '../../../../lib/i18n.ts';
import type { Column } from '../../../../shared/data-table/types.ts';
import { Tag } from '../../../../ui/tag.tsx';
import { dollarsOf, outputDollarsOf, type PriceRow } from './model-prices.ts';
import { text } from './text.ts';
import type { AudioTables } from './use-price-tables.ts';

const name: Column<PriceRow> = {
  id: 'name',
  title: text.model,
  role: 'title',
  fixed: true,
  render: (row) => row.name,
};

/** Columns of models without a price: the name, and a button to set one. */
export const unsetColumns = (onEdit: (row: PriceRow) => void): Column<PriceRow>[] => [
  name,
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <Actions row={row} onEdit={onEdit} />,
  },
];

export const priceColumns = (
  audio: AudioTables,
  published: PublishedRatios,
  onEdit: (row: PriceRow) => void,
  onRemove: (row: PriceRow) => void,
): Column<PriceRow>[] => [
  name,
  { id: 'billing', title: text.billing, render: (row) => <Billing row={row} /> },
  { id: 'ratios', title: text.ratios, align: 'end', render: (row) => ratiosOf(row, published) },
  { id: 'audio', title: text.audioRatios, align: 'end', render: (row) => audioOf(row, audio, published) },
  { id: 'input', title: text.input, align: 'end', render: (row) => inputOf(row) },
  { id: 'output', title: text.output, align: 'end', render: (row) => outputOf(row, published) },
  {
    id: 'actions',
    title: text.actions,
    role: 'actions',
    fixed: true,
    render: (row) => <Actions row={row} onEdit={onEdit} onRemove={onRemove} />,
  },
];

/** The effective ratio of output tokens: the entry, otherwise the family's default. */
const completionOf = (row: PriceRow, published: PublishedRatios) =>
  row.completionRatio ?? completionRatioFor(row.name, {}, published);

const ratiosOf = (row: PriceRow, published: PublishedRatios) =>
  row.ratio === null ? nothing : `${row.ratio} × ${completionOf(row, published)}`;

/** Ratios of audio input, and of audio output to input; empty for models whose audio counts as text. */
function audioOf(
  { name: model, ratio }: PriceRow,
  { AudioRatio, AudioCompletionRatio }: AudioTables,
  published: PublishedRatios,
) {
  const heard = audioRatioFor(model, AudioRatio, published);
  if (ratio === null || heard === 1) return nothing;
  return `${Number(heard.toFixed(3))} × ${audioCompletionRatioFor(model, AudioCompletionRatio, published)}`;
}

const inputOf = ({ price, ratio }: PriceRow) =>
  price !== null ? `$${price}` : ratio === null ? nothing : `$${dollarsOf(ratio)}`;

const outputOf = (row: PriceRow, published: PublishedRatios) =>
  row.price !== null || row.ratio === null
    ? nothing
    : `$${outputDollarsOf(row.ratio, completionOf(row, published))}`;

function Billing({ row: { price, ratio } }: { row: PriceRow }) {
  const t = useTranslate();
  return (
    <Group gap={6} wrap="nowrap">
      <Tag tone={price === null ? 'neutral' : 'info'}>
        {t(price === null ? text.perToken : text.perRequest)}
      </Tag>
      {price !== null && ratio !== null && <Tag tone="warn">{t(text.conflict)}</Tag>}
    </Group>
  );
}

interface ActionsProps {
  row: PriceRow;
  onEdit: (row: PriceRow) => void;
  onRemove?: (row: PriceRow) => void;
}

function Actions({ row, onEdit, onRemove }: ActionsProps) {
  const t = useTranslate();
  const quiet = { size: 'compact-sm', variant: 'subtle', color: 'gray', c: 'var(--tg-text-2)' } as const;
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" display="inline-flex">
      <Button {...quiet} aria-label={t(text.editModel, { name: row.name })} onClick={() => onEdit(row)}>
        {t(text.edit)}
      </Button>
      {onRemove && (
        <Button
          {...quiet}
          c="var(--tg-bad)"
          aria-label={t(text.removeModel, { name: row.name })}
          onClick={() => onRemove(row)}
        >
          {t(text.remove)}
        </Button>
      )}
    </Group>
  );
}
