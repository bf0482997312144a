import { ActionIcon } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';
import type { TableRow } from './use-table-model.ts';

interface ExpandButtonProps<Row> {
  row: TableRow<Row>;
  size?: 'sm' | 'md';
}

/** Expands and collapses what is below a row. */
export function ExpandButton<Row>({ row, size = 'md' }: ExpandButtonProps<Row>) {
  const t = useTranslate();
  const Chevron = row.isUnfolded ? ChevronDown : ChevronRight;
  return (
    <ActionIcon
      size={size}
      aria-label={t(row.isUnfolded ? text.fold : text.expand)}
      aria-expanded={row.isUnfolded}
      onClick={row.unfold}
    >
      <Chevron size={size === 'sm' ? 15 : 16} />
    </ActionIcon>
  );
}
