import { Button, Select, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Check, Copy, Tags } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useSay } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { useCurrentUser } from '../../lib/session.ts';
import { useQuotaDisplay, useStatus } from '../../lib/api/status.ts';
import { useCopy } from '../../shared/copy/use-copy.tsx';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { usePageSize } from '../../shared/data-table/use-paging.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { SearchField } from '../../shared/filter-bar/search-field.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Blank } from '../../ui/blank.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { FormulaBanner, GroupBanner } from './banner.tsx';
import { phoneColumns, priceColumns } from './columns.tsx';
import classes from './page.module.css';
import { pricingQuery } from './queries.ts';
import { priceRows, ratioOf, type PriceRow, type PriceView } from './rows.ts';
import { pricingSearch } from './search.ts';
import { text } from './text.ts';

/** Fetched when the first row is unfolded. */
const GroupPrices = lazy(async () => ({ default: (await import('./group-prices.tsx')).GroupPrices }));

/** Whose prices a guest sees. */
const guestGroup = 'default';
const noRatios = {};
const rowId = (row: PriceRow) => row.item.model_name;

export function Page() {
  const say = useSay();
  const user = useCurrentUser();
  const prices = usePrices();
  return (
    <div className={classes.page}>
      <PageHead title={say(text.title)} hint={say(text.hint)} />
      <div className={classes.stack}>
        {prices.query.data && (
          <GroupBanner
            group={prices.ownGroup}
            ratio={ratioOf(prices.view, prices.ownGroup)}
            isGuest={user === null}
          />
        )}
        <FormulaBanner />
        <PriceTable prices={prices} />
      </div>
    </div>
  );
}

type Prices = ReturnType<typeof usePrices>;

/** The price list in the group that is looked at, as far as the filters leave it. */
function usePrices() {
  const say = useSay();
  const user = useCurrentUser();
  const { perUnit } = useQuotaDisplay();
  const servesUnpriced = useStatus()?.self_use_mode_enabled ?? false;
  const [{ q, group, type }, setSearch] = useUrlState(pricingSearch);
  const query = useQuery(pricingQuery(user?.id ?? null));
  const ownGroup = user?.group || guestGroup;
  const { groupRatios = noRatios, usableGroups = noRatios } = query.data ?? {};
  const view = useMemo<PriceView>(
    () => ({ group: group || ownGroup, groupRatios, usableGroups, quotaPerUnit: perUnit, servesUnpriced }),
    [group, ownGroup, groupRatios, usableGroups, perUnit, servesUnpriced],
  );
  const rows = useMemo(
    () => query.data && priceRows(query.data.items, view, { keyword: q, type }),
    [query.data, view, q, type],
  );
  const lookAt = useCallback(
    (next: string) => {
      setSearch({ group: next === ownGroup ? '' : next, p: 1 });
      toast.info(say(text.switched, { group: next, ratio: ratioOf({ groupRatios }, next) }));
    },
    [setSearch, ownGroup, say, groupRatios],
  );
  return { query, ownGroup, view, rows, lookAt };
}

function PriceTable({ prices: { query, view, rows, lookAt } }: { prices: Prices }) {
  const say = useSay();
  const [{ p, q, type }, setSearch] = useUrlState(pricingSearch);
  const [pageSize, setPageSize] = usePageSize(() => setSearch({ p: 1 }));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const columns = useMemo(() => (isPhone ? phoneColumns : priceColumns)(lookAt), [isPhone, lookAt]);
  // A narrower filter may leave the page in the address beyond the end.
  const page = Math.min(p, Math.max(1, Math.ceil((rows?.length ?? 0) / pageSize)));
  return (
    <Panel flush>
      <DataTable
        name="pricing"
        label={say(text.title)}
        columns={columns}
        rowId={rowId}
        query={{ ...query, data: rows?.slice((page - 1) * pageSize, page * pageSize) }}
        selection={{ ids: selected, onChange: setSelected }}
        expand={(row) => (
          <Suspense fallback={null}>
            <GroupPrices row={row} view={view} />
          </Suspense>
        )}
        faded={(row) => !row.available}
        empty={<Empty filtered={q !== '' || type !== 'all'} />}
        toolbar={<Filters view={view} onGroup={lookAt} selected={[...selected]} />}
        paging={{
          page,
          pageSize,
          total: rows?.length ?? 0,
          onPage: (next) => setSearch({ p: next }),
          onPageSize: setPageSize,
        }}
      />
    </Panel>
  );
}

interface FiltersProps {
  view: PriceView;
  onGroup: (group: string) => void;
  /** The models that are ticked. */
  selected: string[];
}

function Filters({ view, onGroup, selected }: FiltersProps) {
  const say = useSay();
  const [{ q, type }, setSearch] = useUrlState(pricingSearch);
  return (
    <FilterBar
      first={
        <SearchField
          label={say(text.search)}
          value={q}
          onChange={(next) => setSearch({ q: next, p: 1 }, { replace: true })}
        />
      }
      usual={
        <>
          <GroupSelect view={view} onChange={onGroup} />
          <Select
            aria-label={say(text.billing)}
            w={160}
            data={[
              { value: 'all', label: say(text.typeAll) },
              { value: 'tokens', label: say(text.perToken) },
              { value: 'calls', label: say(text.perCall) },
            ]}
            value={type}
            onChange={(next) => setSearch({ type: next ?? 'all', p: 1 })}
            allowDeselect={false}
          />
          <CopySelected names={selected} />
        </>
      }
    />
  );
}

function Empty({ filtered }: { filtered: boolean }) {
  const say = useSay();
  const icon = <Tags size={20} />;
  if (filtered) return <Blank icon={icon} title={say(text.noMatch)} />;
  return <Blank icon={icon} title={say(text.emptyTitle)} hint={say(text.emptyHint)} />;
}

function GroupSelect({ view, onChange }: { view: PriceView; onChange: (group: string) => void }) {
  const say = useSay();
  const names = [...new Set([view.group, ...Object.keys(view.usableGroups)])];
  return (
    <Select
      aria-label={say(text.group)}
      w={190}
      data={names.map((group) => ({
        value: group,
        label: say(text.groupOption, { group, ratio: ratioOf(view, group) }),
      }))}
      value={view.group}
      onChange={(group) => group !== null && onChange(group)}
      allowDeselect={false}
    />
  );
}

/** Copies the ticked names as a comma list, as the model fields of clients and channels take it. */
function CopySelected({ names }: { names: string[] }) {
  const say = useSay();
  const { copy, copied } = useCopy();
  return (
    <Tooltip label={say(text.selectedHint)} disabled={names.length > 0}>
      <Button
        variant="default"
        leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
        {...(names.length === 0 ? { 'data-disabled': true, 'aria-disabled': true } : {})}
        onClick={() => names.length > 0 && void copy(names.join(','))}
      >
        {say(text.copySelected, { count: names.length })}
      </Button>
    </Tooltip>
  );
}
