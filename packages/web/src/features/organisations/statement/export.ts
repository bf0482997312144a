import { product, type StatementEntry, teamRecordApi } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { downloadText, toCsv, type CsvValue } from '../../../lib/format/csv.ts';
import { isoTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { statementText as text } from './text.ts';

/** Maximum number of rows in an export: a spreadsheet opens that many easily and a browser keeps them in memory. */
const maxRows = 20_000;
const pageSize = 100;

/** The lines of an export, header first: dollars for people, quota units for programs. */
const csvRows = (rows: readonly StatementEntry[], perUnit: number): CsvValue[][] => [
  ['id', 'time', 'kind', 'amount_usd', 'quota', 'user_id', 'username', 'request_id', 'note'],
  ...rows.map((row) => [
    row.id,
    isoTime(row.at),
    row.kind,
    row.amount / perUnit,
    row.amount,
    row.user_id,
    row.username,
    row.request_id,
    row.note,
  ]),
];

/** Exports a month page by page, with progress and a stop button. */
export function useExport(id: number, month: string) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const rows: StatementEntry[] = [];
    let hasMore = true;
    try {
      for (let p = 1; hasMore && rows.length < maxRows; p += 1) {
        setCount(rows.length);
        const { items } = await call(
          teamRecordApi.statement,
          { id, month, p, page_size: pageSize },
          { signal },
        );
        rows.push(...items);
        hasMore = items.length === pageSize;
      }
      downloadText(`${product.id}-statement-${id}-${month}.csv`, toCsv(csvRows(rows, perUnit)), 'text/csv');
      if (hasMore) toast.info(t(text.exportCut, { count: rows.length }));
      else toast.good(t(text.exported, { count: rows.length }));
    } catch (error) {
      if (!signal.aborted) toast.bad(errorMessage(error, language));
    } finally {
      setCount(null);
    }
  };
  return { count, start: () => void start(), stop: () => running.current?.abort() };
}
