import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type BudgetData,
  movementName,
  product,
  type RunStatement,
  runTag,
  writeTag,
} from '@tollgate/contract';
import { Download, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { downloadFile } from '../../../lib/format/csv.ts';
import { texts, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { BudgetBar } from '../../../shared/budgets/budget-bar.tsx';
import classes from '../../../shared/budgets/budgets.module.css';
import { readRunFile, runReceiptQuery, runsQuery } from '../../../shared/budgets/queries.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { Money } from '../../../shared/money/money.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import cells from '../base/cells.module.css';

const text = texts({
  title: { zh: '任务 {run}', en: 'Run {run}' },
  change: { zh: '修改', en: 'Change' },
  changeTitle: { zh: '修改任务“{run}”', en: 'Change the run “{run}”' },
  madeBy: { zh: '密钥 sk-{hint}，由“{key}”创建', en: 'Key sk-{hint}, made by “{key}”' },
  parts: { zh: '子任务', en: 'Sub-runs' },
  receipt: { zh: '账目', en: 'Receipt' },
  time: { zh: '时间', en: 'Time' },
  kind: { zh: '种类', en: 'Kind' },
  amount: { zh: '金额', en: 'Amount' },
  call: { zh: '调用', en: 'Call' },
  none: { zh: '没有这个任务', en: 'No such run' },
  empty: { zh: '还没有账目', en: 'No entries yet' },
  emptyHint: {
    zh: '任务的调用结算后显示在这里。',
    en: 'Calls of the run appear here once they are settled.',
  },
  more: { zh: '更多', en: 'Show more' },
  csv: { zh: '下载 CSV', en: 'Download CSV' },
  pdf: { zh: '下载 PDF', en: 'Download PDF' },
});

const levelOf = (run: string): number => run.split('/').length;
const tagOf = (run: string): string => writeTag(runTag(levelOf(run)), run);

interface RunSummaryProps {
  run: string;
  /** Whose run it is; '' for the reader. */
  username: string;
}

interface RunPageProps extends RunSummaryProps {
  /** True if nothing else is on the page. */
  isAlone: boolean;
}

/** What a run has used, holds and leaves, with its sub-runs and its receipt. Hidden for a tag that is no run. */
export function RunSummary({ run, username, isAlone }: RunPageProps) {
  const t = useTranslate();
  const { data } = useQuery(runsQuery(run, username));
  const [isOpen, setOpen] = useState(false);
  const [found, ...parts] = data ?? [];
  if (!found)
    return isAlone && data ? <EmptyState icon={<ReceiptText size={20} />} title={t(text.none)} /> : null;
  return (
    <Panel
      title={t(text.title, { run })}
      actions={
        <div className={classes.head}>
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isOpen}
            leftSection={<ReceiptText size={13} />}
            onClick={() => setOpen(!isOpen)}
          >
            {t(text.receipt)}
          </Button>
          {found.may_change && (
            <MutationButton
              size="compact-xs"
              variant="default"
              onClick={() => void edit(found, t(text.changeTitle, { run }))}
            >
              {t(text.change)}
            </MutationButton>
          )}
        </div>
      }
    >
      <BudgetBar budget={found} />
      {found.key_hint !== '' && (
        <p className={classes.quiet}>{t(text.madeBy, { key: found.subject, hint: found.key_hint })}</p>
      )}
      {parts.length > 0 && <SubRuns of={run} parts={parts} />}
      {isOpen && <Receipt key={run} run={run} username={username} />}
    </Panel>
  );
}

/** The sub-runs as a tree: each below its parent, and further to the right. */
function SubRuns({ of, parts }: { of: string; parts: readonly BudgetData[] }) {
  const t = useTranslate();
  const inTree = parts.toSorted((a, b) => (inOrder(a.run) < inOrder(b.run) ? -1 : 1));
  return (
    <ul className={classes.list} aria-label={t(text.parts)} style={{ marginTop: 14 }}>
      {inTree.map((part) => (
        <li key={part.id} style={{ marginInlineStart: 18 * (levelOf(part.run) - levelOf(of) - 1) }}>
          <Link
            to="/log"
            className={cells.link}
            search={(before: object) => ({ ...before, tag: tagOf(part.run), p: undefined })}
          >
            {part.run}
          </Link>
          <BudgetBar budget={part} />
        </li>
      ))}
    </ul>
  );
}

/** Text by which a run is before its sub-runs, and those before any other run. */
const inOrder = (run: string): string => run.replaceAll('/', '\0');

type Entry = RunStatement['entries'][number] & { id: number };

const columns: readonly Column<Entry>[] = [
  { id: 'time', title: text.time, role: 'title', fixed: true, render: ({ at }) => <Time at={at} /> },
  { id: 'kind', title: text.kind, card: 'line', render: ({ kind }) => <Kind kind={kind} /> },
  {
    id: 'amount',
    title: text.amount,
    align: 'end',
    card: 'corner',
    render: ({ amount }) => <Money quota={amount} digits={6} />,
  },
  {
    id: 'call',
    title: text.call,
    render: ({ request_id: request, at }) =>
      request !== '' && (
        <Link to="/log" className={cells.link} search={{ request, range: 'custom', start: at - 86_400 }}>
          {request}
        </Link>
      ),
  },
];

function Kind({ kind }: { kind: string }) {
  return <>{movementName(kind, useLanguage())}</>;
}

/** The entries of a run in the ledger, which can be downloaded. */
function Receipt({ run, username }: RunSummaryProps) {
  const t = useTranslate();
  const language = useLanguage();
  const query = useInfiniteQuery(runReceiptQuery(run, username));
  const [loading, setLoading] = useState<'csv' | 'pdf' | null>(null);
  const rows = query.data?.pages
    .flatMap(({ entries }) => entries)
    .map((entry, id): Entry => ({ ...entry, id }));
  const download = async (format: 'csv' | 'pdf') => {
    setLoading(format);
    try {
      const file = await readRunFile(run, username, format);
      downloadFile(`${product.id}-run-${run.replaceAll('/', '-')}.${format}`, file);
    } catch (error) {
      toast.bad(errorMessage(error, language));
    } finally {
      setLoading(null);
    }
  };
  return (
    <div style={{ marginTop: 14 }}>
      <DataTable
        name="run-receipt"
        label={t(text.receipt)}
        columns={columns}
        rowId={({ id }) => String(id)}
        query={{ ...query, data: rows }}
        empty={<EmptyState icon={<ReceiptText size={20} />} title={t(text.empty)} hint={t(text.emptyHint)} />}
        bare
      />
      <div className={classes.figures} style={{ marginTop: 8 }}>
        {query.hasNextPage && (
          <Button
            size="compact-xs"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t(text.more)}
          </Button>
        )}
        {(['pdf', 'csv'] as const).map((format) => (
          <Button
            key={format}
            size="compact-xs"
            variant="default"
            leftSection={<Download size={13} />}
            loading={loading === format}
            onClick={() => void download(format)}
          >
            {t(text[format])}
          </Button>
        ))}
      </div>
    </div>
  );
}

const edit = (budget: BudgetData, title: string) =>
  openLazyDialog({
    title,
    body: async (close) => {
      const { BudgetForm } = await import('../../../shared/budgets/budget-form.tsx');
      return <BudgetForm scope={{}} budget={budget} onClose={close} />;
    },
  });
