import { Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { MoneySum } from '../money/money.tsx';

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

/** A short list of amounts, which is neither sorted nor paged. */
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
              {columns.map(({ head, isNumber }) => (
                <Table.Th key={head} ta={isNumber ? 'end' : 'start'}>
                  {head}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, index) => (
              <Table.Tr key={index}>
                {columns.map(({ head, cell, isNumber }) => (
                  <Table.Td key={head} ta={isNumber ? 'end' : 'start'}>
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

interface DifferenceProps {
  before: number;
  after: number;
}

/** What a sum changes by, with its sign and, where there was one, its part. */
export function Difference({ before, after }: DifferenceProps) {
  const change = after - before;
  const percent = before === 0 ? '' : ` (${change > 0 ? '+' : ''}${((change / before) * 100).toFixed(1)}%)`;
  return (
    <span className="tabular">
      {change > 0 && '+'}
      <MoneySum quota={change} />
      {percent}
    </span>
  );
}
