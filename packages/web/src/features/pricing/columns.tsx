import type { Column } from '../../shared/data-table/types.ts';
import classes from './base/page.module.css';
import {
  AllPrices,
  Availability,
  Billing,
  Groups,
  Input,
  Model,
  Ratios,
  TokenPrice,
} from './base/price-cells.tsx';
import type { PriceRow } from './base/rows.ts';
import { text } from './base/text.ts';
import { FactsLine } from './facts/facts-line.tsx';

/** The price of a class; one per call counts as that of its input, and a model without a price comes first. */
function priceOf({ priced, prices }: PriceRow, name: 'input' | 'output'): number {
  if (!priced) return -1;
  return prices.by === 'tokens' ? prices.perMillion[name] : prices.call;
}

/** What every layout ends with; ratios are for who asks. */
const commonColumns = (onGroup: (group: string) => void): readonly Column<PriceRow>[] => [
  { id: 'ratio', title: text.ratio, hidden: true, render: (row) => <Ratios row={row} /> },
  { id: 'groups', title: text.groups, render: (row) => <Groups row={row} onGroup={onGroup} /> },
];

const facts: Column<PriceRow> = {
  id: 'facts',
  title: text.facts,
  fills: true,
  render: (row) => <FactsLine facts={row.item.facts} />,
};

/** For a phone, where a row is a card: what can be said in one line is. */
export const phoneColumns = (onGroup: (group: string) => void): readonly Column<PriceRow>[] => [
  {
    id: 'model',
    title: text.model,
    role: 'title',
    fixed: true,
    render: (row) => (
      <span className={classes.card}>
        <Availability row={row} />
        <Model row={row} />
      </span>
    ),
  },
  { id: 'price', title: text.price, card: 'line', render: (row) => <AllPrices row={row} /> },
  facts,
  ...commonColumns(onGroup),
];

/** @param onGroup - looks at another group; must keep its identity */
export const priceColumns = (onGroup: (group: string) => void): readonly Column<PriceRow>[] => [
  {
    id: 'availability',
    title: text.availability,
    width: '84px',
    render: (row) => <Availability row={row} />,
  },
  {
    id: 'model',
    sort: 'model',
    value: (row) => row.item.model_name,
    title: text.model,
    role: 'title',
    fixed: true,
    render: (row) => <Model row={row} />,
  },
  { id: 'billing', title: text.billing, roomy: true, render: (row) => <Billing row={row} /> },
  {
    id: 'input',
    sort: 'input',
    value: (row) => priceOf(row, 'input'),
    title: text.input,
    align: 'end',
    render: (row) => <Input row={row} />,
  },
  {
    id: 'output',
    sort: 'output',
    value: (row) => priceOf(row, 'output'),
    title: text.output,
    align: 'end',
    render: (row) => <TokenPrice row={row} of="output" />,
  },
  {
    id: 'cacheRead',
    title: text.cacheRead,
    align: 'end',
    render: (row) => (row.item.cache_ratio === 1 ? null : <TokenPrice row={row} of="cacheRead" />),
  },
  facts,
  ...commonColumns(onGroup),
];
