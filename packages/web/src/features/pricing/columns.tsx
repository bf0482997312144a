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

/** What every layout ends with. */
const commonColumns = (onGroup: (group: string) => void): readonly Column<PriceRow>[] => [
  { id: 'ratio', title: text.ratio, fills: true, render: (row) => <Ratios row={row} /> },
  { id: 'groups', title: text.groups, render: (row) => <Groups row={row} onGroup={onGroup} /> },
];

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
  { id: 'price', title: text.price, render: (row) => <AllPrices row={row} /> },
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
  { id: 'model', title: text.model, role: 'title', fixed: true, render: (row) => <Model row={row} /> },
  { id: 'billing', title: text.billing, render: (row) => <Billing row={row} /> },
  { id: 'input', title: text.input, align: 'end', render: (row) => <Input row={row} /> },
  { id: 'output', title: text.output, align: 'end', render: (row) => <TokenPrice row={row} of="output" /> },
  {
    id: 'cacheRead',
    title: text.cacheRead,
    align: 'end',
    render: (row) => (row.item.cache_ratio === 1 ? null : <TokenPrice row={row} of="cacheRead" />),
  },
  ...commonColumns(onGroup),
];
