import { useTranslate } from '../../../lib/i18n.ts';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import classes from './page.module.css';
import { looksLikeImages } from '../../../shared/prices/image-factors.ts';
import { imagePriceText } from '../../../shared/prices/image-price-text.ts';
import { formatPrice, pricesOf } from '../../../shared/prices/prices.ts';
import { tierPrices } from './price-cells.tsx';
import { pricesAudioInput, ratioOf, pricesAudioOutput, type PriceRow, type PriceView } from './rows.ts';
import { classNames, text } from './text.ts';

type TokenClass = keyof typeof classNames;

/** The classes with a price of their own; a ratio of 1 only repeats the plain price. */
function classesOf({ item }: PriceRow): TokenClass[] {
  const speaks = pricesAudioOutput(item);
  const hasCache = item.cache_ratio !== 1;
  const shown: Record<TokenClass, boolean> = {
    input: true,
    output: true,
    cacheRead: hasCache,
    cacheWrite5m: hasCache && item.create_cache_ratio !== 1,
    cacheWrite1h: hasCache && item.create_cache_ratio !== 1,
    imageInput: item.image_ratio !== 1,
    audioInput: speaks || pricesAudioInput(item),
    audioOutput: speaks,
  };
  return (Object.keys(classNames) as TokenClass[]).filter((name) => shown[name]);
}

interface GroupPricesProps {
  row: PriceRow;
  view: PriceView;
  /** True if a title above already describes the table. */
  titled?: boolean;
  /** Shows the ratio of each group. */
  withRatios?: boolean;
}

/** Prices of a model in each of the user's groups by class, and conditions of higher or lower prices. */
export function GroupPrices({ row, view, titled, withRatios }: GroupPricesProps) {
  const t = useTranslate();
  const byCall = row.prices.by === 'call';
  const columns = byCall ? [] : classesOf(row);
  const tiers = tierPrices(row, t);
  if (!row.priced) return <p className={classes.details}>{t(text.unpriced)}</p>;
  if (row.groups.length === 0) return <p className={classes.details}>{t(text.notUsable)}</p>;
  return (
    // On a phone it scrolls, so it must be focusable for the arrow keys.
    <div className={classes.details} role="region" tabIndex={0} aria-label={t(text.everyGroup)}>
      <table className={classes.byGroup}>
        <caption>
          {!titled && `${t(text.everyGroup)} · `}
          {t(byCall ? text.perCallUnit : text.perMillion)}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t(text.group)}</th>
            {byCall && <th scope="col">{t(text.callPrice)}</th>}
            {columns.map((name) => (
              <th key={name} scope="col">
                {t(classNames[name])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row.groups.map((group) => {
            const ratio = ratioOf(view, group);
            const prices = pricesOf(row.item, ratio, view.quotaPerUnit);
            return (
              <tr key={group}>
                <th scope="row">
                  <GroupTag group={group} {...(withRatios && { ratio })} />
                </th>
                {prices.by === 'call' && <td>{formatPrice(prices.call)}</td>}
                {prices.by === 'tokens' &&
                  columns.map((name) => <td key={name}>{formatPrice(prices.perMillion[name])}</td>)}
              </tr>
            );
          })}
        </tbody>
      </table>
      {tiers.length > 0 && (
        <p className={classes.note}>
          {t(text.tiers, { group: row.group })} {tiers.join(' · ')}
        </p>
      )}
      {byCall && looksLikeImages(row.item.model_name) && (
        <p className={classes.note}>{imagePriceText(t, row.item.model_name)}</p>
      )}
    </div>
  );
}
