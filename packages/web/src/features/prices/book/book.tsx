import { Button, SegmentedControl } from '@mantine/core';
import { noPublishedRatios, type PriceTables } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useStatus } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { useSorted } from '../../../shared/data-table/use-sorted.ts';
import { SearchField } from '../../../shared/filter-bar/search-field.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';
import { text } from '../base/text.ts';
import { columnsOf } from './columns.tsx';
import { usePriceDraft } from './draft.ts';
import { rowsOf, rowsShown, type Known, type PriceRow, type Shown } from './rows.ts';
import { SaveBar } from './save-bar.tsx';
import { lazy } from '../../../lib/lazy.ts';
import { LazyMount } from '../../../shared/lazy/lazy-mount.tsx';
import { choiceParam, flagParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const pricesSearch = {
  p: pageParam,
  q: textParam(),
  /** A comma list of models, offered or not: only these are listed. */
  names: textParam(),
  show: choiceParam(['all', 'served', 'unpriced']),
  ratios: flagParam,
};

const PriceDialog = lazy(async () => ({ default: (await import('./price-dialog.tsx')).PriceDialog }));

const noTables = {
  ModelPrice: {},
  ModelRatio: {},
  CompletionRatio: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  ImageRatio: {},
  ImageCompletionRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
} satisfies PriceTables;

const nothingKnown: Known = { announced: [], follows: false, published: noPublishedRatios };

const pageSizeAtFirst = 20;

/** The models with their prices; search, filters and paging are local. */
function useShown(rows: PriceRow[], asked: readonly string[], columns: readonly Column<PriceRow>[]) {
  const [{ p, q, show }, setSearch] = useUrlState(pricesSearch);
  const [pageSize, setPageSize] = useState(pageSizeAtFirst);
  const [order, sorting] = useSorted(columns);
  const found = useMemo(() => order(rowsShown(rows, q, show, asked)), [rows, q, show, asked, order]);
  const page = Math.max(1, Math.min(p, Math.ceil(found.length / pageSize)));
  return {
    q,
    show,
    setSearch,
    sorting,
    shown: found.slice((page - 1) * pageSize, page * pageSize),
    paging: {
      page,
      pageSize,
      total: found.length,
      onPage: (next: number) => setSearch({ p: next }),
      onPageSize: (size: number) => {
        setPageSize(size);
        setSearch({ p: 1 });
      },
    },
  };
}

/** The tables of prices as one list: models on offer first, dollars first. */
export function Book({ mayEdit }: { mayEdit: boolean }) {
  const t = useTranslate();
  const quotaPerUnit = useStatus()?.quota_per_unit ?? 500_000;
  const query = useQuery(pricesQuery);
  const draft = usePriceDraft(query.data?.tables ?? noTables);
  const [{ names, ratios }] = useUrlState(pricesSearch);
  const asked = useMemo(() => names.split(',').filter(Boolean), [names]);
  const rows = useMemo(
    () => rowsOf(draft.tables, query.data?.served ?? [], quotaPerUnit, query.data ?? nothingKnown, asked),
    [draft.tables, query.data, quotaPerUnit, asked],
  );
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set(mayEdit ? asked : []));
  const [edited, setEdited] = useState<readonly PriceRow[]>([]);
  const columns = useMemo(
    () => columnsOf({ withRatios: ratios, onEdit: mayEdit ? (row) => setEdited([row]) : undefined }),
    [mayEdit, ratios],
  );
  const { q, show, setSearch, sorting, shown, paging } = useShown(rows, asked, columns);
  const chosen = rows.filter(({ model }) => ids.has(model));
  return (
    <Panel flush>
      <DataTable
        name="prices"
        label={t(text.title)}
        columns={columns}
        rowId={(row) => row.model}
        query={{ ...query, data: query.data && shown }}
        paging={paging}
        sorting={sorting}
        {...(mayEdit && { selection: { ids, onChange: setIds } })}
        faded={(row) => !row.served}
        empty={<EmptyState icon={<SearchX size={20} />} title={t(text.nothingFound)} />}
        toolbar={
          <>
            <SearchField
              label={t(text.search)}
              value={q}
              onChange={(next) => setSearch({ q: next, p: 1 }, { typed: true })}
            />
            <Filter show={show} onChange={(next) => setSearch({ show: next, p: 1 })} />
            {asked.length > 0 && (
              <Button variant="default" onClick={() => setSearch({ names: '', p: 1 })}>
                {t(text.showOthers)}
              </Button>
            )}
            {mayEdit && chosen.length > 0 && (
              <Button variant="default" onClick={() => setEdited(chosen)}>
                {t(text.editMany, { count: chosen.length })}
              </Button>
            )}
          </>
        }
      />
      <LazyMount when={edited.length > 0}>
        {edited.length > 0 && (
          <PriceDialog
            rows={edited}
            quotaPerUnit={quotaPerUnit}
            onClose={() => setEdited([])}
            onApply={(changes) => {
              draft.apply(changes);
              setEdited([]);
            }}
          />
        )}
      </LazyMount>
      <SaveBar draft={draft} stored={query.data?.tables ?? noTables} quotaPerUnit={quotaPerUnit} />
    </Panel>
  );
}

function Filter({ show, onChange }: { show: Shown; onChange: (show: Shown) => void }) {
  const t = useTranslate();
  return (
    <SegmentedControl
      aria-label={t(text.show)}
      // On a phone it wraps to a line of its own instead of hiding choices.
      style={{ minWidth: 'fit-content' }}
      value={show}
      onChange={onChange}
      data={[
        { value: 'all', label: t(text.showAll) },
        { value: 'served', label: t(text.showServed) },
        { value: 'unpriced', label: t(text.unpriced) },
      ]}
    />
  );
}
