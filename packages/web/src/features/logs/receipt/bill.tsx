import { defaultQuotaPerUnit, type ReceiptData } from '@tollgate/contract';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { Tag } from '../../../ui/tag.tsx';
import { billLines, showMicros } from './bill-lines.ts';
import type { LogOther } from '../base/other.ts';
import classes from './receipt.module.css';
import { ratioNames, receiptText as text, termNames } from './receipt-text.ts';

type Term = ReceiptData['bill']['terms'][number];

/** Counters that count calls; all others count tokens and are priced by the million. */
const countsCalls = new Set(['calls', 'webSearchCalls', 'fileSearchCalls', 'containers']);

interface BillProps {
  receipt: ReceiptData;
  /** What was charged: images per image, a task, a tool, or what an application sold. */
  of: Pick<LogOther, 'images' | 'task' | 'sale' | 'tool'>;
}

/** The label of units with a price each. */
function eachOf({ images, task, sale }: BillProps['of']): 'calls' | 'images' | 'task' | 'sale' {
  if (task) return 'task';
  if (sale) return 'sale';
  return images === null ? 'calls' : 'images';
}

/** Usage, prices and total, from top to bottom like an invoice. */
export function Bill({ receipt, of }: BillProps) {
  const t = useTranslate();
  const { bill, matches, ledger } = receipt;
  const { images, task, tool } = of;
  const { perUnit } = useQuotaDisplay();
  const lines = billLines(receipt, perUnit || defaultQuotaPerUnit);
  return (
    <div>
      <h2 className={classes.heading}>
        {t(text.title)}
        {matches === false && <Tag tone="bad">{t(text.differs)}</Tag>}
        {/* An unpaid row, such as a channel test, has no matching entry. */}
        {matches && ledger && <Tag tone="good">{t(text.matches)}</Tag>}
      </h2>
      <table className={classes.bill}>
        <thead>
          <tr>
            <th scope="col">{t(text.item)}</th>
            <th scope="col">{t(text.count)}</th>
            <th scope="col">{t(text.unit)}</th>
            <th scope="col">{t(text.amount)}</th>
          </tr>
        </thead>
        <tbody>
          {bill.terms.map((term, index) => (
            <TermRow key={term.what} term={term} amount={lines.amounts[index] ?? 0} each={eachOf(of)} />
          ))}
          {bill.terms.length === 0 && (
            <tr>
              <td colSpan={4}>{t(text.noBill)}</td>
            </tr>
          )}
        </tbody>
        <BillFoot receipt={receipt} lines={lines} />
      </table>
      <Ratios
        receipt={receipt}
        factor={tool ? ['tool_factor', tool.factor] : ['image_factor', images?.factor ?? 1]}
        bySecond={task !== null && task.seconds > 0}
      />
    </div>
  );
}

/** The total of the terms, with rounding and the minimum charge. */
function BillFoot({ receipt, lines }: { receipt: ReceiptData; lines: ReturnType<typeof billLines> }) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <tfoot>
      {lines.rounding !== 0 && (
        <tr className={classes.rounding}>
          <td colSpan={3}>{t(isLeast(receipt) ? text.minimum : text.rounding)}</td>
          <td>{showMicros(lines.rounding)}</td>
        </tr>
      )}
      <tr>
        <td colSpan={3}>{t(text.total)}</td>
        <td title={t(text.units, { count: formatNumber(receipt.charged, language) })}>
          {showMicros(lines.total)}
        </td>
      </tr>
      {lines.writtenOff > 0 && (
        <tr>
          <td colSpan={3}>{t(text.writtenOff)}</td>
          <td>{showMicros(lines.writtenOff)}</td>
        </tr>
      )}
      <Corrections receipt={receipt} lines={lines} />
      {lines.cacheSaved > 0 && (
        <tr className={classes.rounding}>
          <td colSpan={3}>{t(text.cacheSaved)}</td>
          <td>{showMicros(lines.cacheSaved)}</td>
        </tr>
      )}
    </tfoot>
  );
}

/** Later corrections and refunds with their reasons, and the resulting total. */
function Corrections({ receipt, lines }: { receipt: ReceiptData; lines: ReturnType<typeof billLines> }) {
  const t = useTranslate();
  const wireWords = useWireWords();
  const { adjustments } = receipt;
  if (adjustments.length === 0) return null;
  const isRefunded = adjustments.every(({ refund }) => refund);
  return (
    <>
      {adjustments.map(({ at, undone, refund, reason }, index) => (
        <tr key={`${at}-${undone}-${refund}`}>
          <td colSpan={3}>
            {refund
              ? t(text.refundedFor, { reason: wireWords(reason) })
              : t(undone ? text.correctedBack : text.corrected, { reason })}
          </td>
          <td>{showMicros(lines.corrections[index] ?? 0)}</td>
        </tr>
      ))}
      <tr>
        <td colSpan={3}>{t(isRefunded ? text.refundedTotal : text.correctedTotal)}</td>
        <td>{showMicros(lines.inAll)}</td>
      </tr>
    </>
  );
}

interface TermRowProps {
  term: Term;
  /** Millionths of a dollar. */
  amount: number;
  /** Label of units with a price each. */
  each: ReturnType<typeof eachOf>;
}

/** True if the usage was below one unit and the minimum charge applied. */
const isLeast = ({ bill }: ReceiptData): boolean =>
  bill.minimum === 1 && bill.terms.reduce((sum, { amount }) => sum + Number(amount), 0) < 0.5;

function TermRow({ term, amount, each }: TermRowProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const perOne = Number(term.unit) / (perUnit || defaultQuotaPerUnit);
  const what = term.what === 'calls' ? each : term.what;
  const name = what in termNames ? t(termNames[what as keyof typeof termNames]) : what;
  return (
    <tr>
      <td>{name}</td>
      <td>{formatNumber(term.count, language)}</td>
      <td>
        {countsCalls.has(term.what)
          ? t(text.each, { price: formatPrice(perOne) })
          : t(text.perMillion, { price: formatPrice(perOne * 1e6) })}
      </td>
      <td title={t(text.units, { count: term.amount })}>{showMicros(amount)}</td>
    </tr>
  );
}

/** The ratios of a bill. A call with a fixed price has no token ratios; audio ratios apply only with audio. */
function countsFor({ ratios, bill }: ReceiptData): (name: string) => boolean {
  const byCall = (ratios.model_price ?? -1) >= 0;
  const hasAudio = bill.terms.some(({ what }) => what.startsWith('audio'));
  const ofCalls = [
    'group_ratio',
    'answer_cache_ratio',
    'model_price',
    'web_search_price',
    'file_search_price',
  ];
  return (name) => (byCall ? ofCalls.includes(name) : hasAudio || !name.startsWith('audio_'));
}

interface RatiosProps {
  receipt: ReceiptData;
  /** What multiplies the price of a call, and its name. */
  factor: [name: string, value: number];
  /** True if the price is per second of video. */
  bySecond: boolean;
}

/** For operators. The prices above include these ratios; ratios of 1 change nothing, and a price of -1 means none. */
function Ratios({ receipt, factor, bySecond }: RatiosProps) {
  const t = useTranslate();
  const isOperator = mayAccess(useCurrentUser(), 'admin');
  const counts = countsFor(receipt);
  const shown = Object.entries(receipt.ratios).filter(
    ([name, value]) => value >= 0 && (name === 'model_ratio' || value !== 1) && counts(name),
  );
  if (factor[1] !== 1) shown.push(factor);
  if (!isOperator || shown.length === 0) return null;
  const words = shown.map(([price, value]) => {
    const name = bySecond && price === 'model_price' ? 'second_price' : price;
    const known = name in ratioNames ? t(ratioNames[name as keyof typeof ratioNames]) : name;
    return `${known} ${value}`;
  });
  return (
    <p className={classes.ratios}>
      {t(text.ratios)}: {words.join(' · ')}
    </p>
  );
}
