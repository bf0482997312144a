import { Table, Text, Title } from '@mantine/core';
import type { MoneyDigits } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { Money, MoneySum } from '../money/money.tsx';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
}

interface AmountTableProps<Row> {
  title: string;
  hint?: string | undefined;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

/** The name of a row stays visible while its amounts scroll. */
const inSight = {
  position: 'sticky',
  insetInlineStart: 0,
  background: 'var(--tg-surface)',
} as const;

/** A short list of amounts without sorting and paging. */
export function AmountTable<Row>({ title, hint, columns, rows }: AmountTableProps<Row>) {
  return (
    <section>
      <Title order={3} size="h5">
        {title}
      </Title>
      {hint !== undefined && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      <Table.ScrollContainer
        minWidth={420}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': title } }}
      >
        <Table>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ head, isNumber }, place) => (
                <Table.Th
                  key={head}
                  ta={isNumber ? 'end' : 'start'}
                  style={place === 0 ? inSight : undefined}
                >
                  {head}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, index) => (
              <Table.Tr key={index}>
                {columns.map(({ head, cell, isNumber }, place) => (
                  <Table.Td
                    key={head}
                    ta={isNumber ? 'end' : 'start'}
                    style={place === 0 ? inSight : undefined}
                  >
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

interface SumProps {
  before: number;
  after: number;
}

/** Relative change of a sum, with its sign: +12.5%; '' if the sum was zero. */
export function percentOf({ before, after }: SumProps): string {
  const change = after - before;
  return before === 0 ? '' : `${change > 0 ? '+' : ''}${((change / before) * 100).toFixed(1)}%`;
}

/** The change of a sum with its sign; in a list with the list's decimals. */
export function Difference({ before, after, digits }: SumProps & { digits?: MoneyDigits }) {
  const change = after - before;
  return (
    <span className="tabular">
      {change > 0 && '+'}
      {digits === undefined ? <MoneySum quota={change} /> : <Money quota={change} digits={digits} />}
    </span>
  );
}
