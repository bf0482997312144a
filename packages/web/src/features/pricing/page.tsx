import { Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Tags } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { useSorted } from '../../shared/data-table/use-sorted.ts';
import { usePaging } from '../../shared/data-table/use-paging.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { FormulaBanner, GroupBanner, RetiringBanner } from './banner.tsx';
import { phoneColumns, priceColumns } from './columns.tsx';
import { abilityNames } from './facts/facts-text.ts';
import type { Ability } from '@tollgate/contract';
import { Filters } from './filters.tsx';
import classes from './base/page.module.css';
import { priceRows, ratioOf, rowsWithFacts, type PriceRow } from './base/rows.ts';
import { pricingSearch } from './base/search.ts';
import { text } from './base/text.ts';
import { usePriceView } from './base/use-prices.ts';

/** Loads with the first unfolded row. */
const GroupPrices = lazy(async () => ({ default: (await import('./base/group-prices.tsx')).GroupPrices }));

const Compare = lazy(async () => ({ default: (await import('./compare/compare.tsx')).Compare }));

const everything = { keyword: '', type: 'all' } as const;
const rowId = (row: PriceRow) => row.item.model_name;

export function Page() {
  const t = useTranslate();
  const user = useCurrentUser();
  const prices = usePrices();
  const [{ ratios }, setSearch] = useUrlState(pricingSearch);
  const isGuest = user === null;
  return (
    <div className={classes.page}>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <Switch
            label={t(text.showRatios)}
            checked={ratios}
            onChange={(event) => setSearch({ ratios: event.currentTarget.checked })}
            styles={{ root: { alignSelf: 'center' } }}
          />
        }
      />
      <div className={classes.stack}>
        {prices.query.data && (isGuest || ratios) && (
          <GroupBanner
            group={prices.ownGroup}
            ratio={ratioOf(prices.view, prices.ownGroup)}
            isGuest={isGuest}
          />
        )}
        {prices.query.data && <RetiringBanner items={prices.query.data.items} />}
        {ratios && <FormulaBanner />}
        {prices.compared.length > 1 && (
          <Suspense fallback={null}>
            <Compare rows={prices.compared} withRatios={ratios} onClose={prices.endCompare} />
          </Suspense>
        )}
        <PriceTable prices={prices} />
      </div>
    </div>
  );
}

type Prices = ReturnType<typeof usePrices>;

/** The filtered list in the selected group, and the models to compare. */
function usePrices() {
  const t = useTranslate();
  const [{ q, group, type, vendor, ability, compare }, setSearch] = useUrlState(pricingSearch);
  const { query, ownGroup, view } = usePriceView(group);
  const items = query.data?.items;
  const rows = useMemo(
    () =>
      items &&
      rowsWithFacts(priceRows(items, view, { keyword: q, type }), {
        vendor,
        ability: Object.hasOwn(abilityNames, ability) ? (ability as Ability) : '',
      }),
    [items, view, q, type, vendor, ability],
  );
  const compared = useMemo(() => {
    const names = compare.split(',').slice(0, 4);
    const wanted = (items ?? []).filter(({ model_name: name }) => names.includes(name));
    return priceRows(wanted, view, everything);
  }, [items, compare, view]);
  const lookAt = useCallback(
    (next: string) => {
      setSearch({ group: next === ownGroup ? '' : next, p: 1 });
      toast.info(t(text.switched, { group: next }));
    },
    [setSearch, ownGroup, t],
  );
  const endCompare = () => setSearch({ compare: '' });
  return { query, ownGroup, view, rows, lookAt, compared, endCompare };
}

function PriceTable({ prices: { query, view, rows, lookAt } }: { prices: Prices }) {
  const t = useTranslate();
  const [{ p, q, type, vendor, ability, ratios }, setSearch] = useUrlState(pricingSearch);
  const { pageSize, ...paging } = usePaging(p, (next) => setSearch({ p: next }));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isPhone = useMediaQuery(phoneQuery, undefined, { getInitialValueInEffect: false }) ?? false;
  const columns = useMemo(() => {
    const all = (isPhone ? phoneColumns : priceColumns)(lookAt);
    // Only one of the two fits.
    return all.filter(({ id }) => id !== (ratios ? 'facts' : 'ratio'));
  }, [isPhone, lookAt, ratios]);
  const [order, sorting] = useSorted(columns);
  const ordered = useMemo(() => rows && order(rows), [rows, order]);
  // A narrower filter may have fewer pages than the page in the address.
  const page = Math.min(p, Math.max(1, Math.ceil((rows?.length ?? 0) / pageSize)));
  return (
    <Panel flush>
      <DataTable
        name="pricing"
        label={t(text.title)}
        columns={columns}
        rowId={rowId}
        query={{ ...query, data: ordered?.slice((page - 1) * pageSize, page * pageSize) }}
        sorting={sorting}
        selection={{ ids: selected, onChange: setSelected }}
        expand={(row) => (
          <Suspense fallback={null}>
            <GroupPrices row={row} view={view} withRatios={ratios} />
          </Suspense>
        )}
        faded={(row) => !row.available}
        empty={<Empty filtered={q !== '' || type !== 'all' || vendor !== '' || ability !== ''} />}
        toolbar={<Filters view={view} onGroup={lookAt} selected={[...selected]} />}
        paging={{ ...paging, page, pageSize, total: rows?.length ?? 0 }}
      />
    </Panel>
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  const t = useTranslate();
  const icon = <Tags size={20} />;
  if (filtered) return <EmptyState icon={icon} title={t(text.noMatch)} />;
  return <EmptyState icon={icon} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />;
}
