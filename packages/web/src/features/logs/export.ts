import type { LogData } from '@tollgate/contract';
import { useRef, useState } from 'react';
import { wordsOf } from '../../lib/api-error.ts';
import { downloadText, toCsv, type CsvValue } from '../../lib/csv.ts';
import { formatDateTime } from '../../lib/date-format.ts';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { fetchLogs, type LogFilter } from './queries.ts';
import { text } from './text.ts';

/** Rows one export holds at most: what a spreadsheet opens at ease and a browser keeps in memory. */
const maxRows = 20_000;
const pageSize = 100;

/** Field names of the wire head the columns, so that programs read the file in either language. */
const fields: readonly (readonly [name: string, value: (row: LogData) => CsvValue])[] = [
  ['time', (row) => formatDateTime(row.created_at)],
  ['type', (row) => row.type],
  ['username', (row) => row.username],
  ['token_name', (row) => row.token_name],
  ['group', (row) => row.group],
  ['channel', (row) => row.channel],
  ['model_name', (row) => row.model_name],
  ['is_stream', (row) => row.is_stream],
  ['use_time', (row) => row.use_time],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['quota', (row) => row.quota],
  ['request_id', (row) => row.request_id],
  ['content', (row) => row.content],
];

/** Exports what the filters show, page by page, with its progress and a way to stop. */
export function useExport(isAdmin: boolean, filter: LogFilter) {
  const say = useSay();
  const language = useLanguage();
  const [count, setCount] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    const rows: LogData[] = [];
    let hasMore = true;
    try {
      for (let page = 1; hasMore && rows.length < maxRows; page += 1) {
        setCount(rows.length);
        const { items } = await fetchLogs(isAdmin, filter, page, pageSize, controller.signal);
        rows.push(...items);
        hasMore = items.length === pageSize;
      }
      const table = [
        fields.map(([name]) => name),
        ...rows.map((row) => fields.map(([, value]) => value(row))),
      ];
      downloadText(
        `tollgate-log-${formatDateTime(Date.now() / 1000).slice(0, 10)}.csv`,
        toCsv(table),
        'text/csv',
      );
      if (hasMore) toast.info(say(text.exportCut, { count: rows.length }));
      else toast.good(say(text.exported, { count: rows.length }));
    } catch (error) {
      if (!controller.signal.aborted) toast.bad(wordsOf(error, language));
    } finally {
      setCount(null);
    }
  };
  return { count, start: () => void start(), stop: () => running.current?.abort() };
}
