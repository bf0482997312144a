import type { Translate } from '../../../lib/i18n.ts';
import type { LoggedTask } from '../base/other.ts';
import { receiptText as text } from './receipt-text.ts';

const short = (value: number): number => Math.round(value * 1e4) / 1e4;

/** The basis of a task's price: seconds, size and quality, or one price for each action. */
export function taskPriceText({ seconds, factor }: LoggedTask, t: Translate): string {
  if (seconds > 0)
    return t(text.bySeconds, { seconds, rest: short(factor / seconds), factor: short(factor) });
  return factor === 1 ? t(text.byAction) : t(text.byFactor, { factor: short(factor) });
}
