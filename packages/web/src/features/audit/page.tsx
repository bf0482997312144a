import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type Translate, useTranslate } from '../../lib/i18n.ts';
import { DataTable } from '../../shared/data-table/data-table.tsx';
import { boundsOf } from '../../shared/time-range/range.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import classes from './audit.module.css';
import { auditColumns } from './columns.tsx';
import { useExport } from './export.ts';
import { Filters } from './filters.tsx';
import { type AuditFilter, auditQuery } from './queries.ts';
import { auditSearch } from './search.ts';
import { text } from './text.ts';
import { type AuditData, wayToSignIn } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import type { QuotaDisplay } from '../../lib/format/number-format.ts';
import { ChangeList } from '../../shared/audit/change-list.tsx';
import { fieldLabel, valueLabel } from '../../shared/audit/field-labels.ts';
import { outcomeLabel } from '../../shared/audit/kind-tag.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';

/** All fields of a row, with changes before and after. */
function Details({ row }: { row: AuditData }) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  return (
    <div className={classes.details}>
      <ChangeList changes={row.changes} target={row.target_type} />
      <DescriptionList rows={[...notesOf(row, t, display), ...factsOf(row, t)]} />
    </div>
  );
}

const notesOf = ({ note, target_type: target }: AuditData, t: Translate, display: QuotaDisplay) =>
  Object.entries(note).map(
    (each) => [fieldLabel(each[0], t), valueLabel(each, { target, t, display })] as const,
  );

const factsOf = (row: AuditData, t: Translate) =>
  [
    [t(text.outcome), outcomeLabel(row.outcome, t)],
    [t(text.actor), row.actor_id > 0 ? `${row.actor_name} #${row.actor_id}` : ''],
    [t(text.target), row.target_name === '' ? row.target_id : `${row.target_name} #${row.target_id}`],
    [t(text.method), t(wayToSignIn(row.method))],
    [t(text.address), row.ip],
    [t(text.browser), row.user_agent],
    [t(text.requestId), row.request_id],
    [t(text.rowId), `#${row.id}`],
  ] as const;

function useFilter(): AuditFilter {
  const [{ range, start, end, ...words }] = useUrlState(auditSearch);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const bounds = boundsOf({ range, start, end }, now);
  return { ...words, start_timestamp: bounds.start, end_timestamp: bounds.end };
}

/** The audit log, for root. */
export function Page() {
  const t = useTranslate();
  const filter = useFilter();
  return (
    <>
      <PageHead title={t(text.title)} hint={t(text.hint)} actions={<ExportButton filter={filter} />} />
      <Rows filter={filter} />
    </>
  );
}

function Rows({ filter }: { filter: AuditFilter }) {
  const t = useTranslate();
  const audit = useInfiniteQuery(auditQuery(filter));
  const rows = useMemo(() => audit.data?.pages.flatMap(({ items }) => items), [audit.data]);
  const { error, isFetching, refetch } = audit;
  return (
    <Panel flush>
      <DataTable
        name="audit"
        label={t(text.title)}
        columns={auditColumns}
        rowId={(row) => String(row.id)}
        query={{ data: rows, error, isFetching, refetch }}
        expand={(row) => <Details row={row} />}
        empty={
          <EmptyState icon={<ShieldCheck size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
        }
        toolbar={<Filters />}
      />
      {audit.hasNextPage && (
        <div className={classes.more}>
          <Button
            variant="default"
            loading={audit.isFetchingNextPage}
            onClick={() => void audit.fetchNextPage()}
          >
            {t(text.more)}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function ExportButton({ filter }: { filter: AuditFilter }) {
  const t = useTranslate();
  const csv = useExport(filter);
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} />}
      onClick={csv.count === null ? csv.start : csv.stop}
    >
      {csv.count === null ? t(text.csv) : t(text.exporting, { count: csv.count })}
    </Button>
  );
}
