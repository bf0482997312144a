import type { DollarPrice } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { priceLabels } from './classes.ts';
import classes from './prices.module.css';

/** A price in one line, each class with its name; those of free classes are left out. */
export function PriceLine({ dollars }: { dollars: DollarPrice }) {
  const t = useTranslate();
  const named = (Object.keys(priceLabels) as (keyof DollarPrice)[]).filter(
    (name) => dollars[name] !== undefined,
  );
  return (
    <span className={classes.words}>
      {named.map((name) => (
        <span key={name}>
          <span className={classes.quiet}>{t(priceLabels[name])}</span> {formatPrice(dollars[name] ?? 0)}
        </span>
      ))}
    </span>
  );
}
