import { Switch } from '@mantine/core';
import type { ComparedReport, ReportRow } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { nothing } from '../../lib/format/nothing.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';
import { FilterBar } from '../../shared/filter-bar/filter-bar.tsx';
import { MoneySum } from '../../shared/money/money.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figure, Figures } from '../../ui/figure.tsx';
import { Panel } from '../../ui/panel.tsx';
import { reportColumns } from './columns.tsx';
import { Parts } from './parts.tsx';
import { comparedQuery } from './queries.ts';
import classes from './reconciliation.module.css';
import { reconciliationSearch } from './search.ts';
import { text } from './text.ts';

const isDifference = ({ state }: ReportRow): boolean => state !== 'equal' && state !== 'open';

/** One report compared with our records: sums, and rows that expand to their calls. */
export function Comparison({ report }: { report: number }) {
  const t = useTranslate();
  const [{ only, tolerance }] = useUrlState(reconciliationSearch);
  const query = useQuery(comparedQuery(report, Number(tolerance)));
  const { data } = query;
  const rows = useMemo(() => (only ? data?.rows.filter(isDifference) : data?.rows), [data, only]);
  const columns = useMemo(() => reportColumns(data?.rows ?? []), [data]);
  return (
    <>
      <Sums data={data} />
      <Panel flush>
        <p className={classes.note}>{t(text.legend)}</p>
        <DataTable
          name="reconciliation"
          label={t(text.title)}
          columns={columns}
          rowId={(row) => `${row.day} ${row.model}`}
          query={{ ...query, data: rows }}
          expand={(row) => <Parts row={row} />}
          empty={<EmptyState icon={<Scale size={20} />} title={t(text.noRows)} hint={t(text.noRowsHint)} />}
          toolbar={<Filters />}
        />
        {data?.truncated && <p className={classes.note}>{t(text.truncated)}</p>}
      </Panel>
    </>
  );
}

function Sums({ data }: { data: ComparedReport | undefined }) {
  const t = useTranslate();
  const language = useLanguage();
  const count = (value: number | null | undefined): ReactNode =>
    value === null ? nothing : value === undefined ? undefined : formatNumber(value, language);
  const money = (value: number | null | undefined): ReactNode =>
    value === null ? nothing : value === undefined ? undefined : <MoneySum quota={value} />;
  const { ours, theirs } = data ?? {};
  const isKnown = ours?.cost != null && theirs?.cost != null;
  const vendor = (value: ReactNode) => (
    <>
      {t(text.theirs)}: {value}
    </>
  );
  const unknown =
    ours && ours.unknown_calls > 0
      ? t(text.unknown, { count: count(ours.unknown_calls) as string })
      : undefined;
  return (
    <Figures>
      <Figure label={t(text.input)} value={count(ours?.input)} note={vendor(count(theirs?.input))} />
      <Figure label={t(text.output)} value={count(ours?.output)} note={vendor(count(theirs?.output))} />
      <Figure label={t(text.cost)} value={money(ours?.cost)} note={vendor(money(theirs?.cost))} />
      <Figure
        label={t(text.difference)}
        value={data && (isKnown ? money((theirs?.cost ?? 0) - (ours?.cost ?? 0)) : nothing)}
        note={unknown ?? t(text.vendorMore)}
      />
      <Figure
        label={t(text.differences)}
        value={data && count(data.differences)}
        note={data && t(text.ofRows, { count: formatNumber(data.rows.length, language) })}
      />
    </Figures>
  );
}

function Filters() {
  const t = useTranslate();
  const [search, setSearch] = useUrlState(reconciliationSearch);
  const tolerances = (['0', '0.5', '1', '5'] as const).map((value) => ({
    value,
    label: `${t(text.tolerance)} ${value}%`,
  }));
  return (
    <FilterBar
      first={
        <Switch
          label={t(text.only)}
          my={8}
          checked={search.only}
          onChange={(event) => setSearch({ only: event.currentTarget.checked })}
        />
      }
      usual={
        <ChoiceField
          aria-label={t(text.tolerance)}
          data={tolerances}
          value={search.tolerance}
          w={150}
          onChange={(value) => setSearch({ tolerance: value })}
        />
      }
    />
  );
}
