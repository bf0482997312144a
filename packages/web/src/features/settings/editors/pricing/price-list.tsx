import { useState, type ReactNode } from 'react';
import { useTranslate } from '../../../../lib/i18n.ts';
import { DataTable } from '../../../../shared/data-table/data-table.tsx';
import type { Column, Selection } from '../../../../shared/data-table/types.ts';
import { SearchField } from '../../../../shared/filter-bar/search-field.tsx';
import classes from '../editors.module.css';
import type { PriceRow } from './model-prices.ts';
import { text } from './text.ts';

interface PriceListProps {
  name: string;
  label: string;
  columns: readonly Column<PriceRow>[];
  rows: PriceRow[];
  query?: { error: Error | null; isFetching: boolean; refetch: () => unknown };
  /** True while the rows are loading. */
  loading?: boolean;
  selection?: Selection;
  actions: ReactNode;
  empty: ReactNode;
}

const settled = { error: null, isFetching: false, refetch: () => undefined };
/** Initial number of rows per page. */
const firstPageSize = 10;

/** A list of models with local search and paging: the draft contains all of them. */
export function PriceList({ name, label, columns, rows, query = settled, ...rest }: PriceListProps) {
  const { loading = false, selection, actions, empty } = rest;
  const t = useTranslate();
  const [words, setWords] = useState('');
  const [page, setPage] = useState(1);
  const [pageSize, setPageSize] = useState(firstPageSize);
  const wanted = words.trim().toLowerCase();
  const found = rows.filter((row) => row.name.toLowerCase().includes(wanted));
  // Rows may disappear during edits, and with them the current page.
  const current = Math.max(1, Math.min(page, Math.ceil(found.length / pageSize)));
  return (
    <>
      <div className={classes.listHead}>
        <SearchField
          label={t(text.search)}
          value={words}
          onChange={(value) => {
            setWords(value);
            setPage(1);
          }}
        />
        {actions}
      </div>
      <DataTable
        bare
        name={name}
        label={label}
        columns={columns}
        rowId={(row) => row.name}
        query={{
          ...query,
          data: loading ? undefined : found.slice((current - 1) * pageSize, current * pageSize),
        }}
        {...(selection && { selection })}
        empty={empty}
        paging={{
          page: current,
          pageSize,
          total: found.length,
          onPage: setPage,
          onPageSize: (size) => {
            setPageSize(size);
            setPage(1);
          },
        }}
      />
    </>
  );
}
