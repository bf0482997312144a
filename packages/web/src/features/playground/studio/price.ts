import { imageFactor, type MoneyDigits, type PricingItem } from '@tollgate/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { formatMoney } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatPrice, pricesOf } from '../../../shared/prices/prices.ts';
import { panelText } from '../base/text.ts';
import { studioText as text } from '../base/studio-text.ts';
import type { Offer } from '../settings/use-choice.ts';
import { fetchPrice } from './calls.ts';

/** The price shown before sending. */
export interface PriceText {
  words: string;
  /** The request is impossible, with the reason. */
  isRefusal: boolean;
}

/** Cents if an amount is a whole number of them, otherwise as many decimals as single calls have. */
export const digitsOf = (quota: number, perUnit: number): MoneyDigits =>
  quota % (perUnit / 100) === 0 ? 2 : 6;

const plain = (words: string): PriceText => ({ words, isRefusal: false });

/** The price of a call times `factor`, as text; the prices per million tokens if usage is charged. */
export function usePriceOf({ price: item, groupRatio }: Offer, factor = 1): PriceText {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  if (!item) return plain('');
  if (item.unset) return plain(t(text.noPrice));
  const prices = pricesOf(item, groupRatio, perUnit);
  if (prices.by === 'call')
    return plain(
      prices.call === 0 ? t(panelText.free) : formatPrice(Number((prices.call * factor).toPrecision(12))),
    );
  const { input, output } = prices.perMillion;
  return plain(t(panelText.perMillion, { input: formatPrice(input), output: formatPrice(output) }));
}

/** Total price of `n` images of a size, if images have a price each. */
export const imagesFactor = (
  item: PricingItem | undefined,
  size: string,
  quality: string,
  n: number,
): number => n * imageFactor(item?.model_name ?? '', size, quality);

/** The price of a video from the server, which knows how the vendor reads the request. */
export function useVideoPrice(fields: Record<string, unknown>): PriceText {
  const t = useTranslate();
  const language = useLanguage();
  const display = useQuotaDisplay();
  const [asked] = useDebouncedValue(JSON.stringify(fields), 250);
  const { data, error } = useQuery({
    queryKey: ['playground', 'video-price', asked, language],
    queryFn: ({ signal }) => fetchPrice(JSON.parse(asked) as Record<string, unknown>, signal),
    retry: false,
  });
  if (error) return { words: errorMessage(error, language), isRefusal: true };
  if (data === undefined) return plain(t(text.priceAsked));
  return plain(data === 0 ? t(panelText.free) : formatMoney(data, display, digitsOf(data, display.perUnit)));
}
