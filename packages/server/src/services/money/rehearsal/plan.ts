import { AppError, declarationOf, isSettingKey, type RehearsalSelection } from '@tollgate/contract';
import { priceKeys } from '../pricing/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { Plan, PriceValues } from './rehearse.ts';

const day = 86_400;

const isPriceKey = (key: string): boolean => priceKeys.some((each) => each === key);

/**
 * Settings of a draft: those of the site, with some options replaced as a whole. Throws the setting's AppError for an
 * invalid text, and `rehearsal_not_a_price` for an option that affects no price.
 */
export function readValues(
  settings: Pick<Settings, 'get'>,
  draft: Readonly<Record<string, string>>,
): PriceValues {
  const values: Record<string, unknown> = {};
  for (const key of priceKeys) values[key] = settings.get(key);
  for (const [key, text] of Object.entries(draft)) {
    if (!isSettingKey(key) || !isPriceKey(key)) throw new AppError('rehearsal_not_a_price', { key });
    const declared = declarationOf(key);
    values[key] = declared.parse(declared.tidy(text, key), key);
  }
  return values as unknown as PriceValues;
}

/** The charges of a selection as of `now` (Unix seconds): those of the last days, or of a time range. */
export function readFilter(
  { days, start, end, models, groups, channel, user }: RehearsalSelection,
  now: number,
): Plan['filter'] {
  const from = start === 0 ? now - days * day : start;
  const to = end === 0 ? now : Math.min(end, now);
  if (to < from) throw new AppError('rehearsal_span');
  return { start: from, end: to, models, groups, channelId: channel, userId: user };
}
