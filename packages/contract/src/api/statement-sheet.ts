import { movementNames, type StatementData } from './statement.ts';
import { exactDigits, showDecimal } from '../quota.ts';
import { fillWords, type Language } from '../words.ts';

/** A line of a statement, with an amount in quota units. */
export interface SheetLine {
  key: string;
  name: string;
  /** Number of entries, where there is one. */
  count?: number;
  amount: number;
  /** True for balances and totals. */
  strong?: boolean;
}

/** A part of a statement: its account, or the charges by key or by model. */
export interface SheetTable {
  title: string;
  /** Heading of the first column. */
  first: string;
  hint?: string;
  /** False if no line has a count. */
  counted: boolean;
  lines: SheetLine[];
}

const texts = {
  account: { zh: '账目', en: 'Account' },
  opening: { zh: '期初余额', en: 'Opening balance' },
  closing: { zh: '期末余额', en: 'Closing balance' },
  closingNow: { zh: '当前余额', en: 'Balance now' },
  byKey: { zh: '各令牌的收费', en: 'Charges by key' },
  byModel: { zh: '各模型的收费', en: 'Charges by model' },
  byModelHint: {
    zh: '退款和更正之前的收费，来自使用日志。',
    en: 'As charged, before refunds and corrections, from the log of calls.',
  },
  key: { zh: '令牌', en: 'Key' },
  model: { zh: '模型', en: 'Model' },
  playground: { zh: '操练场', en: 'Playground' },
  deletedKey: { zh: '已删除的令牌 #{id}', en: 'Deleted key #{id}' },
  unlogged: { zh: '日志中没有的收费', en: 'Not in the log' },
  total: { zh: '合计', en: 'Total' },
};

/** Headings of the columns of numbers. */
export const sheetHeads = {
  entries: { zh: '笔数', en: 'Entries' },
  amount: { zh: '金额', en: 'Amount' },
};

/** Name of a kind of ledger entry. */
export const movementName = (kind: string, language: Language): string =>
  movementNames[kind]?.[language] ?? kind;

/** The lines from the opening to the closing balance; the amounts between them add up to their difference. */
export function accountTable(
  statement: Pick<StatementData, 'opening' | 'movements' | 'charged' | 'calls' | 'closing'>,
  { language, isNow }: { language: Language; isNow: boolean },
): SheetTable {
  const { opening, movements, charged, calls, closing } = statement;
  const account = texts.account[language];
  return {
    title: account,
    first: account,
    counted: true,
    lines: [
      { key: 'opening_balance', name: texts.opening[language], amount: opening, strong: true },
      ...movements.map(({ kind, ...sum }) => ({ key: kind, name: movementName(kind, language), ...sum })),
      { key: 'usage', name: movementName('usage', language), count: calls, amount: 0 - charged },
      {
        key: 'closing_balance',
        name: (isNow ? texts.closingNow : texts.closing)[language],
        amount: closing,
        strong: true,
      },
    ],
  };
}

/** The charges by key and by model, which both add up to all charges; none without charges. */
export function chargeTables(
  { keys, models, unlogged, charged, calls }: Omit<StatementData, 'mailed'>,
  language: Language,
): SheetTable[] {
  if (keys.length === 0) return [];
  const total = { key: 'total', name: texts.total[language], amount: charged, strong: true };
  const keyName = ({ token_id: id, name }: StatementData['keys'][number]): string =>
    name || (id === 0 ? texts.playground[language] : fillWords(texts.deletedKey[language], { id }));
  const missing = { key: 'unlogged', name: texts.unlogged[language], amount: unlogged };
  return [
    {
      title: texts.byKey[language],
      first: texts.key[language],
      counted: true,
      lines: [
        ...keys.map((key) => ({
          key: String(key.token_id),
          name: keyName(key),
          count: key.count,
          amount: key.amount,
        })),
        { ...total, count: calls },
      ],
    },
    {
      title: texts.byModel[language],
      first: texts.model[language],
      hint: texts.byModelHint[language],
      counted: false,
      lines: [
        ...models.map(({ model, amount }) => ({ key: `model:${model}`, name: model, amount })),
        ...(unlogged === 0 ? [] : [missing]),
        total,
      ],
    },
  ];
}

/** Text of amounts in dollars, with the same decimals for all, which are enough for `quotas` to add up as they are shown. */
export function exactMoney(quotas: readonly number[], perUnit: number): (quota: number) => string {
  const digits = exactDigits(quotas, perUnit);
  return (quota) => `${quota < 0 ? '-' : ''}$${showDecimal(Math.abs(quota) / perUnit, digits)}`;
}

/** The amounts of tables, in quota units. */
export const sheetAmounts = (tables: readonly SheetTable[]): number[] =>
  tables.flatMap(({ lines }) => lines.map(({ amount }) => amount));
