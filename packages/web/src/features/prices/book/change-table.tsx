import {
  type DollarPrice,
  dollarsOf,
  isPricedIn,
  type PriceTables,
  ratiosIn,
  type SeenPriceChange,
} from '@tollgate/contract';
import { useSay } from '../../../lib/i18n.ts';
import classes from '../base/prices.module.css';
import { text } from '../base/text.ts';
import { PriceWords } from '../base/price-words.tsx';

interface ChangeTableProps {
  changes: readonly SeenPriceChange[];
  before: PriceTables;
  after: PriceTables;
  quotaPerUnit: number;
}

/** The classes whose price changes. */
const changed = (of: DollarPrice, other: DollarPrice | null): DollarPrice =>
  Object.fromEntries(
    Object.entries(of).filter(([name, value]) => other?.[name as keyof DollarPrice] !== value),
  );

/** What would be saved: each model's price before and after, the classes that change. */
export function ChangeTable({ changes, before, after, quotaPerUnit }: ChangeTableProps) {
  const say = useSay();
  const priceIn = (tables: PriceTables, model: string) =>
    isPricedIn(tables, model) ? dollarsOf(ratiosIn(tables, model), quotaPerUnit) : null;
  return (
    <div className={classes.scroll} role="region" tabIndex={0} aria-label={say(text.review)}>
      <table className={classes.changes}>
        <thead>
          <tr>
            <th scope="col">{say(text.model)}</th>
            <th scope="col">{say(text.before)}</th>
            <th scope="col">{say(text.after)}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ model }) => {
            const [was, is] = [priceIn(before, model), priceIn(after, model)];
            return (
              <tr key={model}>
                <th scope="row">{model}</th>
                <td>{was ? <PriceWords dollars={changed(was, is)} /> : say(text.unpriced)}</td>
                <td>{is ? <PriceWords dollars={changed(is, was)} /> : say(text.unpriced)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
