import type { RowData } from '@tanstack/react-table';
import { ActionIcon } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';
import type { TableRowModel } from './use-table-model.ts';

interface ExpandButtonProps<Row extends RowData> {
  row: TableRowModel<Row>;
  size?: 'sm' | 'md';
}

/** Expands and collapses what is below a row. */
export function ExpandButton<Row extends RowData>({ row, size = 'md' }: ExpandButtonProps<Row>) {
  const t = useTranslate();
  const isOpen = row.getIsExpanded();
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <ActionIcon
      size={size}
      aria-label={t(isOpen ? text.fold : text.expand)}
      aria-expanded={isOpen}
      onClick={() => row.toggleExpanded()}
    >
      <Chevron size={size === 'sm' ? 15 : 16} />
    </ActionIcon>
  );
}
