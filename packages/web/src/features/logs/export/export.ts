import { type LogData, product } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { downloadFile, downloadText, toCsv } from '../../../lib/format/csv.ts';
import { isoTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { csvRows, type TableKind } from './csv-rows.ts';
import { fetchLogs, type LogFilter, readFocusFile } from '../base/queries.ts';
import { text } from '../base/text.ts';

/** Formats that the browser writes, and FOCUS, which the server does. */
type ExportKind = TableKind | 'focus';

/** Maximum number of rows in an export: a spreadsheet opens that many easily and a browser keeps them in memory. */
const maxRows = 20_000;
const pageSize = 100;

/** Exports the filtered rows page by page, with progress and a stop button. */
export function useExport(isAdmin: boolean, filter: LogFilter) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);

  const start = async (kind: ExportKind) => {
    const controller = new AbortController();
    running.current = controller;
    const rows: LogData[] = [];
    let hasMore = true;
    let isCut = false;
    const name = `${product.id}-log-${isoTime(Date.now() / 1000).slice(0, 10)}${kind === 'people' ? '' : `-${kind}`}.csv`;
    try {
      if (kind === 'focus') {
        // The server writes it, of any length.
        setCount(0);
        const { signal } = controller;
        downloadFile(name, await readFocusFile(isAdmin, filter, { signal, onRows: setCount }));
        toast.good(t(text.exportedAll));
        return;
      }
      for (let page = 1; hasMore && rows.length < maxRows; page += 1) {
        setCount(rows.length);
        const found = await fetchLogs(isAdmin, filter, page, pageSize, controller.signal);
        rows.push(...found.items);
        hasMore = found.items.length === pageSize;
        isCut ||= found.older_missing === true;
      }
      isCut ||= hasMore;
      const table = csvRows(rows, kind, { t, language, perUnit, isAdmin });
      downloadText(name, toCsv(table), 'text/csv');
      if (isCut) toast.info(t(text.exportCut, { count: rows.length }));
      else toast.good(t(text.exported, { count: rows.length }));
    } catch (error) {
      if (!controller.signal.aborted) toast.bad(errorMessage(error, language));
    } finally {
      setCount(null);
    }
  };
  return { count, start: (kind: ExportKind) => void start(kind), stop: () => running.current?.abort() };
}
