import { Select, Skeleton, Button } from '@mantine/core';
import { moneyDigits, type TeamData, type TeamStatement } from '@tollgate/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ReceiptText, Download } from 'lucide-react';
import { useState } from 'react';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { localeOf, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import { usePaging } from '../../../shared/data-table/use-paging.ts';
import { Money } from '../../../shared/money/money.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { useUrlState } from '../../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Figure, Figures } from '../../../ui/figure.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/organisations.module.css';
import { statementQuery } from '../base/queries.ts';
import { teamSearch } from '../base/search.ts';
import { entryColumns } from './columns.tsx';
import { Sums } from './sums.tsx';
import { statementText as text } from './text.ts';
import { useExport } from './export.ts';

/** Maximum number of offered months: three years. */
const maxMonths = 36;

/** The months of an organisation from the current one back to its first, as `2026-11`, in UTC. */
export function monthsSince(created: number, now: number): string[] {
  const first = new Date(created * 1000);
  const last = new Date(now * 1000);
  const indexOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
  const count = Math.min(maxMonths, Math.max(1, indexOf(last) - indexOf(first) + 1));
  return Array.from({ length: count }, (_, back) => {
    const index = indexOf(last) - back;
    return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
  });
}

/** November 2026, in a locale. */
export const monthName = (month: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** Exports the month, with progress and a stop button. */
function ExportButton({ teamId, month }: { teamId: number; month: string }) {
  const t = useTranslate();
  const csv = useExport(teamId, month);
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} />}
      onClick={csv.count === null ? csv.start : csv.stop}
    >
      {csv.count === null ? t(text.export) : t(text.exporting, { count: csv.count })}
    </Button>
  );
}

/** A month of the wallet: opening balance, movements, usage by member, and every entry. */
export function Statement({ team }: { team: TeamData }) {
  const t = useTranslate();
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const months = monthsSince(team.created_time, now);
  const [{ month, p }, setSearch] = useUrlState(teamSearch);
  const paging = usePaging(p, (next) => setSearch({ p: next }));
  const current = months.includes(month) ? month : (months[0] ?? '');
  const statement = useQuery({
    ...statementQuery(team.id, current, p, paging.pageSize),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = statement;
  return (
    <div className={classes.stack}>
      <div className={classes.foot}>
        <MonthSelect
          months={months}
          value={current}
          onChange={(next) => setSearch({ month: next === months[0] ? '' : next, p: 1 })}
        />
        <div className={classes.buttons}>
          <Button
            renderRoot={(props) => (
              <Link to="/statement" search={{ team: String(team.id), month: current }} {...props} />
            )}
            variant="default"
            leftSection={<ReceiptText size={15} />}
          >
            {t(text.monthly)}
          </Button>
          <ExportButton teamId={team.id} month={current} />
        </div>
      </div>
      {data ? (
        <Summary statement={data} isNow={current === months[0]} />
      ) : error ? (
        <LoadError error={error} onRetry={refetch} />
      ) : (
        <Skeleton height={220} />
      )}
      <Panel title={t(text.entries)} flush>
        <DataTable
          name="team-statement"
          label={t(text.entries)}
          columns={entryColumns}
          rowId={(entry) => String(entry.id)}
          query={{ ...statement, data: data?.items }}
          empty={<EmptyState icon={<ReceiptText size={20} />} title={t(text.emptyTitle)} />}
          bare
          paging={{ ...paging, total: data?.total ?? 0 }}
        />
      </Panel>
    </div>
  );
}

interface MonthSelectProps {
  months: readonly string[];
  value: string;
  onChange: (month: string) => void;
}

function MonthSelect({ months, value, onChange }: MonthSelectProps) {
  const t = useTranslate();
  const locale = localeOf(useLanguage());
  return (
    <Select
      aria-label={t(text.month)}
      w={190}
      data={months.map((month) => ({ value: month, label: monthName(month, locale) }))}
      value={value}
      onChange={(month) => month !== null && onChange(month)}
      allowDeselect={false}
    />
  );
}

function Summary({ statement, isNow }: { statement: TeamStatement; isNow: boolean }) {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  const { opening, closing, sums } = statement;
  const sumOf = (sign: number) =>
    sums.reduce((sum, { amount }) => (Math.sign(amount) === sign ? sum + Math.abs(amount) : sum), 0);
  const [came, went] = [sumOf(1), sumOf(-1)];
  const digits = moneyDigits([opening, came, went, closing], perUnit);
  return (
    <>
      <Figures>
        <Figure label={t(text.opening)} value={<Money quota={opening} digits={digits} />} />
        <Figure label={t(text.moneyIn)} value={<Money quota={came} digits={digits} />} />
        <Figure label={t(text.moneyOut)} value={<Money quota={went} digits={digits} />} />
        <Figure
          label={t(isNow ? text.closingNow : text.closing)}
          value={<Money quota={closing} digits={digits} />}
        />
      </Figures>
      <Sums statement={statement} />
    </>
  );
}
