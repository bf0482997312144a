import { type AuditData, product } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { type CsvValue, downloadText, toCsv } from '../../lib/format/csv.ts';
import { isoTime } from '../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { type AuditFilter, fetchAudit } from './queries.ts';
import { text } from './text.ts';

/** Maximum number of rows in an export: a spreadsheet opens that many easily and a browser keeps them in memory. */
const maxRows = 20_000;
const pageSize = 100;

const fields = [
  'kind',
  'outcome',
  'actor_id',
  'actor_name',
  'user_id',
  'target_type',
  'target_id',
  'target_name',
  'method',
  'ip',
  'user_agent',
  'request_id',
] as const;

/** The lines of an export, header first, with the values of the call, so that programs can read it. */
const csvRows = (rows: readonly AuditData[]): CsvValue[][] => [
  ['id', 'time', ...fields, 'changes', 'note'],
  ...rows.map((row) => [
    row.id,
    isoTime(row.at),
    ...fields.map((name) => row[name]),
    JSON.stringify(row.changes),
    JSON.stringify(row.note),
  ]),
];

/** Exports the filtered rows page by page, with progress and a stop button. */
export function useExport(filter: AuditFilter) {
  const t = useTranslate();
  const language = useLanguage();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    const rows: AuditData[] = [];
    let before: number | null = 0;
    try {
      while (before !== null && rows.length < maxRows) {
        setCount(rows.length);
        const page: Awaited<ReturnType<typeof fetchAudit>> = await fetchAudit(
          filter,
          before,
          pageSize,
          controller.signal,
        );
        rows.push(...page.items);
        before = page.next;
      }
      const day = isoTime(Date.now() / 1000).slice(0, 10);
      downloadText(`${product.id}-audit-${day}.csv`, toCsv(csvRows(rows)), 'text/csv');
      if (before === null) toast.good(t(text.exported, { count: rows.length }));
      else toast.info(t(text.exportCut, { count: rows.length }));
    } catch (error) {
      if (!controller.signal.aborted) toast.bad(errorMessage(error, language));
    } finally {
      setCount(null);
    }
  };
  return { count, start: () => void start(), stop: () => running.current?.abort() };
}
