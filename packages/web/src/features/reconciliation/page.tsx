import { Button } from '@mantine/core';
import { product, reconciliationApi, usageFigures, type UsageReport } from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Plus, Scale, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { downloadText, toCsv } from '../../lib/format/csv.ts';
import { useTranslate, type Translate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { LoadError } from '../../shared/state/load-error.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { dateOf } from './columns.tsx';
import { Comparison } from './comparison.tsx';
import { comparedQuery, reportChannelsQuery, reportsQuery } from './queries.ts';
import classes from './reconciliation.module.css';
import { reconciliationSearch } from './search.ts';
import { text } from './text.ts';
import { LazyMount } from '../../shared/lazy/lazy-mount.tsx';
import { ChoiceField } from '../../shared/filter-bar/choice-field.tsx';

const NewReport = lazy(async () => ({ default: (await import('./new-report.tsx')).NewReport }));

/** Vendor usage compared with our records; for the super admin. */
export function Page() {
  const t = useTranslate();
  const [search, setSearch] = useUrlState(reconciliationSearch);
  const [isTaking, setTaking] = useState(false);
  const reports = useQuery(reportsQuery);
  const chosen = reports.data?.find(({ id }) => id === search.report) ?? reports.data?.[0];
  const take = (
    <Button leftSection={<Plus size={15} />} onClick={() => setTaking(true)}>
      {t(text.fresh)}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <>
            {chosen && <ExportButton report={chosen.id} />}
            {take}
          </>
        }
      />
      <div className={classes.stack}>
        {reports.error && <LoadError error={reports.error} onRetry={reports.refetch} />}
        {reports.data?.length === 0 && (
          <Panel>
            <EmptyState icon={<Scale size={20} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
          </Panel>
        )}
        {reports.data && chosen && (
          <>
            <Choice reports={reports.data} chosen={chosen} />
            <Comparison key={chosen.id} report={chosen.id} />
          </>
        )}
      </div>
      <LazyMount when={isTaking}>
        <NewReport
          opened={isTaking}
          onClose={() => setTaking(false)}
          onTaken={(report) => {
            setTaking(false);
            setSearch({ report });
          }}
        />
      </LazyMount>
    </>
  );
}

const labelOf = ({ source, name, ...report }: UsageReport, channels: string, t: Translate): string => {
  const what = source === 'csv' ? name || t(text.csvFile) : t(text[source]);
  return `${what} · ${dateOf(report.start_time)} – ${dateOf(report.end_time - 1)} · ${channels}`;
};

interface ChoiceProps {
  reports: readonly UsageReport[];
  chosen: UsageReport;
}

/** Selects a report, and deletes it. */
function Choice({ reports, chosen }: ChoiceProps) {
  const t = useTranslate();
  const confirm = useConfirm();
  const client = useQueryClient();
  const [, setSearch] = useUrlState(reconciliationSearch);
  const { data: channels = [] } = useQuery(reportChannelsQuery);
  const remove = useMutation({
    mutationFn: (report: number) => call(reconciliationApi.remove, { report }),
    onSuccess: async () => {
      setSearch({ report: 0 });
      await client.invalidateQueries({ queryKey: reportsQuery.queryKey });
    },
  });
  const nameOf = (id: number) => channels.find((channel) => channel.id === id)?.name ?? t(text.gone, { id });
  const data = reports.map((report) => ({
    value: String(report.id),
    label: labelOf(report, report.channels.map(nameOf).join(', '), t),
  }));
  const ask = async () => {
    const question = { title: t(text.removeTitle), body: t(text.removeBody), action: t(text.remove) };
    if (await confirm({ ...question, danger: true })) remove.mutate(chosen.id);
  };
  return (
    <div className={classes.choice}>
      <ChoiceField
        className={classes.select}
        label={t(text.report)}
        data={data}
        value={String(chosen.id)}
        onChange={(value) => setSearch({ report: Number(value) })}
      />
      <Button
        variant="default"
        leftSection={<Trash2 size={15} />}
        loading={remove.isPending}
        onClick={() => void ask()}
      >
        {t(text.remove)}
      </Button>
    </div>
  );
}

/** The rows as a file: whole quota units, so that they add up. */
function ExportButton({ report }: { report: number }) {
  const t = useTranslate();
  const [{ tolerance }] = useUrlState(reconciliationSearch);
  const { data } = useQuery(comparedQuery(report, Number(tolerance)));
  const save = () => {
    const head = [
      'day',
      'model',
      'state',
      'incomplete',
      ...usageFigures.flatMap((name) => [`our_${name}`, `their_${name}`]),
    ];
    const lines = (data?.rows ?? []).map(({ day, model, state, incomplete, ours, theirs }) => [
      dateOf(day),
      model,
      state,
      incomplete,
      ...usageFigures.flatMap((name) => [ours?.[name] ?? '', theirs?.[name] ?? '']),
    ]);
    downloadText(`${product.id}-reconciliation-${report}.csv`, toCsv([head, ...lines]), 'text/csv');
  };
  return (
    <Button variant="default" leftSection={<Download size={15} />} disabled={!data} onClick={save}>
      {t(text.csv)}
    </Button>
  );
}
