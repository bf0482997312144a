import {
  AppError,
  keptInChinese,
  keptInEnglish,
  logApi,
  type LogData,
  logType,
  receiptApi,
} from '@tollgate/contract';
import { parseObject, textOf } from '../../../lib/json.ts';
import {
  focusColumns,
  type FocusExport,
  type Logs,
  readContent,
  type Receipts,
} from '../../../services/upkeep/logs/index.ts';
import type { SignedReceipts } from '../../../services/money/receipts/index.ts';
import { FileAnswer } from '../../answer.ts';
import { requireActor, type CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { failureWords } from './failure-words.ts';

interface LogRouteDeps {
  logs: Logs;
  focus: FocusExport;
}

const focusInfo = { version: '1.2', columns: [...focusColumns] };

/** Rows in the caller's language: Chinese by default, English on request. */
const translated = (rows: readonly LogData[], { language }: CallContext): LogData[] =>
  rows.map((row) => {
    if (row.type === logType.error) {
      const code = textOf(parseObject(row.other)?.error_code);
      return { ...row, content: failureWords(row.content, code, language) };
    }
    if (language === 'zh') return { ...row, content: keptInChinese(row.content) };
    return {
      ...row,
      content: keptInEnglish(row.content),
      token_name: row.token_id === 0 ? keptInEnglish(row.token_name) : row.token_name,
    };
  });

/** Log calls (docs/compatibility.md#log-lists-and-sums). Users see their own rows, without the data of operators. */
export const logRoutes = ({ logs, focus }: LogRouteDeps): MountedRoute[] =>
  implement(logApi, {
    async list(query, context) {
      const page = await logs.list(query, { page: query.p, pageSize: query.page_size });
      return { ...page, items: translated(page.items, context) };
    },
    async ownList(query, context) {
      const paging = { page: query.p, pageSize: query.page_size };
      const page = await logs.ownList(requireActor(context).id, query, paging);
      return { ...page, items: translated(page.items, context) };
    },
    stat: (filters) => logs.stat(filters),
    ownStat: (filters, context) => logs.ownStat(requireActor(context).id, filters),
    tagSums: ({ name, ...filters }) => logs.tagSums(name, filters),
    ownTagSums: ({ name, ...filters }, context) => logs.ownTagSums(requireActor(context).id, name, filters),
    focus: ({ format, ...filters }) =>
      format === 'json' ? focusInfo : new FileAnswer('focus', 'csv', focus.csv(filters)),
    ownFocus: ({ format, ...filters }, context) =>
      format === 'json'
        ? focusInfo
        : new FileAnswer('focus', 'csv', focus.csv(filters, requireActor(context).id)),
    search: async ({ keyword }, context) => translated(await logs.search(keyword), context),
    ownSearch: async ({ keyword }, context) =>
      translated(await logs.ownSearch(requireActor(context).id, keyword), context),
    countBefore({ target_timestamp }) {
      if (target_timestamp === 0) throw new AppError('target_timestamp_required');
      return logs.countBefore(target_timestamp);
    },
    remove({ target_timestamp, rows }) {
      if (target_timestamp === 0) throw new AppError('target_timestamp_required');
      return logs.remove(target_timestamp, rows === 0 ? undefined : rows);
    },
    async ofToken({ key }, context) {
      // The holder of a key may read its usage from pages of other sites; the key is sufficient
      // (docs/compatibility.md#envelope-and-routes).
      context.reply.header('access-control-allow-origin', '*');
      return translated(await logs.ofToken(key), context);
    },
  });

interface ReceiptRouteDeps {
  receipts: Receipts;
  signed: Pick<SignedReceipts, 'rotate'>;
  content: Parameters<typeof readContent>[0];
}

/** The receipt of a request: for the one who made it, and for administrators. */
export const receiptRoutes = ({ receipts, signed, content }: ReceiptRouteDeps): MountedRoute[] =>
  implement(receiptApi, {
    get: ({ request }, context) => receipts.find(requireActor(context), request),
    rotate: async () => ({ kid: await signed.rotate() }),
    content: ({ request }, context) => readContent(content, requireActor(context), request),
  });
