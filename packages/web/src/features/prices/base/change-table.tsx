import {
  type DollarPrice,
  dollarsOf,
  isPricedIn,
  noPublishedRatios,
  type PriceChange,
  type PriceTables,
  ratiosIn,
} from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { nothing } from '../../../lib/format/nothing.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';
import { Tag } from '../../../ui/tag.tsx';
import { priceLabels } from './classes.ts';
import classes from './prices.module.css';
import { text } from './text.ts';

interface ChangeTableProps {
  changes: readonly PriceChange[];
  before: PriceTables;
  after: PriceTables;
  quotaPerUnit: number;
}

type ClassName = keyof DollarPrice;

const allClasses = Object.keys(priceLabels) as ClassName[];

/** The changes to save: each model's changed prices, before, after and the difference. */
export function ChangeTable({ changes, before, after, quotaPerUnit }: ChangeTableProps) {
  const t = useTranslate();
  const { data: { published = noPublishedRatios } = {} } = useQuery(pricesQuery);
  const priceIn = (tables: PriceTables, model: string): DollarPrice =>
    isPricedIn(tables, model) ? dollarsOf(ratiosIn(tables, model, published), quotaPerUnit) : {};
  return (
    <div className={classes.scroll} role="region" tabIndex={0} aria-label={t(text.review)}>
      <table className={classes.changes}>
        <thead>
          <tr>
            <th scope="col">{t(text.model)}</th>
            <th scope="col">{t(text.before)}</th>
            <th scope="col">{t(text.after)}</th>
            <th scope="col">{t(text.change)}</th>
          </tr>
        </thead>
        {changes.map(({ model }) => (
          <ModelChange key={model} model={model} was={priceIn(before, model)} is={priceIn(after, model)} />
        ))}
      </table>
    </div>
  );
}

function ModelChange({ model, was, is }: { model: string; was: DollarPrice; is: DollarPrice }) {
  const t = useTranslate();
  const changed = allClasses.filter((name) => was[name] !== is[name]);
  const isPriced = (price: DollarPrice) => Object.keys(price).length > 0;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4} className={classes.changedModel}>
          <span className={classes.model}>
            {model}
            {!isPriced(was) && <Tag tone="warn">{t(text.wasUnpriced)}</Tag>}
            {!isPriced(is) && <Tag tone="bad">{t(text.becomesUnpriced)}</Tag>}
            {changed.length === 0 && <span className={classes.quiet}>{t(text.asBefore)}</span>}
          </span>
        </th>
      </tr>
      {changed.map((name) => (
        <tr key={name}>
          <th scope="row">{t(priceLabels[name])}</th>
          <td>{priceText(was[name])}</td>
          <td>
            <b>{priceText(is[name])}</b>
          </td>
          <td className={classes.quiet}>{percentText(was[name], is[name])}</td>
        </tr>
      ))}
    </tbody>
  );
}

const priceText = (dollars: number | undefined): string =>
  dollars === undefined ? nothing : formatPrice(dollars);

/** Relative change of a price, with its sign; '' if one of the two is zero. */
function percentText(was: number | undefined, is: number | undefined): string {
  if (!was || is === undefined) return '';
  const percent = (is / was - 1) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}%`;
}
