import {
  accountTable,
  chargeTables,
  exactMoney,
  fillWords,
  type Language,
  movementName,
  type RunStatement,
  sheetAmounts,
  sheetHeads,
  type SheetLine,
  type SheetTable,
  type StatementData,
} from '@tollgate/contract';
import { wallTime } from '../../../lib/calendar-windows.ts';
import type { Paper, PaperColumn } from '../../../lib/pdf/pdf.ts';
import type { Db, RunRow } from '../../../store/index.ts';
import { readRunStatement } from './runs.ts';

/** Lines of a table, and entries of a run, on paper. The rest is one line. */
const maxLines = 2_000;

const texts = {
  title: { zh: '账单 {month}', en: 'Statement {month}' },
  holder: { zh: '账户：{holder}', en: 'Account: {holder}' },
  zone: { zh: '时区：{zone}', en: 'Time zone: {zone}' },
  made: { zh: '生成时间：{time}', en: 'As of {time}' },
  footer: { zh: '第 {page} 页，共 {pages} 页', en: 'Page {page} of {pages}' },
  others: { zh: '其他 {lines} 项', en: '{lines} others' },
  noCalls: { zh: '这个月没有收费的调用。', en: 'No calls were charged this month.' },
  run: { zh: '任务 {run}', en: 'Run {run}' },
  time: { zh: '时间', en: 'Time' },
  kind: { zh: '种类', en: 'Kind' },
  call: { zh: '调用', en: 'Call' },
  total: { zh: '合计', en: 'Total' },
};

/** The site and the reader of a document. */
export interface PaperFor {
  site: string;
  perUnit: number;
  timeZone: string;
  language: Language;
  /** Unix seconds. */
  now: number;
}

const localeOf = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en-US');

const numbers = ({ language }: PaperFor): PaperColumn[] => [
  { title: sheetHeads.entries[language], share: 2, align: 'right' },
  { title: sheetHeads.amount[language], share: 3, align: 'right' },
];

/** Lines of a table, those above the limit as one; balances and totals stay. */
function fewer(lines: readonly SheetLine[], most: number, language: Language): SheetLine[] {
  if (lines.length <= most) return [...lines];
  const last = lines.at(-1)!;
  const rest = lines.slice(most - 2, -1);
  const counts = rest.flatMap(({ count }) => (count === undefined ? [] : [count]));
  return [
    ...lines.slice(0, most - 2),
    {
      key: 'others',
      name: fillWords(texts.others[language], { lines: rest.length }),
      amount: rest.reduce((sum, { amount }) => sum + amount, 0),
      ...(counts.length > 0 && { count: counts.reduce((sum, count) => sum + count, 0) }),
    },
    last,
  ];
}

/** A month of a wallet as a document, with the lines and the texts of its page. */
export function statementPaper(
  statement: Omit<StatementData, 'mailed'>,
  about: PaperFor,
  most = maxLines,
): Paper {
  const { site, perUnit, language, now } = about;
  const { holder, month, months, time_zone: zone } = statement;
  const isNow = month === months[0];
  const tables = [accountTable(statement, { language, isNow }), ...chargeTables(statement, language)];
  const money = exactMoney(sheetAmounts(tables), perUnit);
  const drawn = ({ title, first, hint, counted, lines }: SheetTable) => ({
    title: title === first ? '' : title,
    ...(hint !== undefined && { hint }),
    columns: [{ title: first, share: 7, align: 'left' as const }, ...numbers(about).slice(counted ? 0 : 1)],
    rows: fewer(lines, most, language).map(({ name, count, amount, strong = false }) => ({
      cells: [name, ...(counted ? [count?.toLocaleString('en-US') ?? ''] : []), money(amount)],
      strong,
    })),
  });
  const time = `${wallTime(zone, now)} (${zone})`;
  return {
    locale: localeOf(language),
    title: fillWords(texts.title[language], { month }),
    lines: [
      site,
      fillWords(texts.holder[language], { holder }),
      isNow ? fillWords(texts.made[language], { time }) : fillWords(texts.zone[language], { zone }),
      ...(tables.length > 1 ? [] : [texts.noCalls[language]]),
    ],
    tables: tables.map(drawn),
    footer: texts.footer[language],
    at: now,
  };
}

/** All entries of a run as a document, with their sum. */
export async function runPaper(reports: Db, run: RunRow, about: PaperFor, most = maxLines): Promise<Paper> {
  const { site, perUnit, timeZone, language, now } = about;
  const entries: RunStatement['entries'] = [];
  let [others, sum, sumOfOthers] = [0, 0, 0];
  for (let after: number | null = 0; after !== null;) {
    const page: RunStatement = await readRunStatement(reports, run, after);
    for (const entry of page.entries) {
      sum += entry.amount;
      if (entries.length < most) entries.push(entry);
      else {
        others += 1;
        sumOfOthers += entry.amount;
      }
    }
    after = page.next;
  }
  const money = exactMoney([sum, sumOfOthers, ...entries.map(({ amount }) => amount)], perUnit);
  const rest = fillWords(texts.others[language], { lines: others });
  return {
    locale: localeOf(language),
    title: fillWords(texts.run[language], { run: run.run }),
    lines: [site, fillWords(texts.made[language], { time: `${wallTime(timeZone, now)} (${timeZone})` })],
    tables: [
      {
        title: '',
        columns: [
          { title: texts.time[language], share: 3, align: 'left' },
          { title: texts.kind[language], share: 1.7, align: 'left' },
          { title: texts.call[language], share: 6.6, align: 'left' },
          { title: sheetHeads.amount[language], share: 2.5, align: 'right' },
        ],
        rows: [
          ...entries.map(({ at, kind, request_id: request, amount }) => ({
            cells: [wallTime(timeZone, at), movementName(kind, language), request, money(amount)],
          })),
          ...(others > 0 ? [{ cells: ['', rest, '', money(sumOfOthers)] }] : []),
          { cells: [texts.total[language], '', '', money(sum)], strong: true },
        ],
      },
    ],
    footer: texts.footer[language],
    at: now,
  };
}
