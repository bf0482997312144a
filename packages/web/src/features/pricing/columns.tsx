import type { Column } from '../../shared/data-table/types.ts';
import classes from './base/page.module.css';
import {
  MainPrices,
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
import { useTranslate } from '../../lib/i18n.ts';
import { abilityNames, factsText, lengthText, vendorNames } from './facts/facts-text.ts';
import type { ModelFacts } from '@tollgate/contract';

/** Main facts: vendor, context length, abilities. */
const first = new Set([
  'vision',
  'tools',
  'reasoning',
  'audio_input',
  'audio_output',
  'image_output',
  'video_output',
]);

/** A model's facts in a line; empty without known facts. */
function FactsLine({ facts }: { facts: ModelFacts | undefined }) {
  const t = useTranslate();
  if (!facts) return null;
  const words = [
    vendorNames[facts.vendor] ?? facts.vendor,
    facts.ends !== undefined && t(factsText.endsOn, { day: facts.ends }),
    facts.input !== undefined && lengthText(facts.input),
    ...facts.abilities.filter((each) => first.has(each)).map((each) => t(abilityNames[each])),
  ];
  const line = words.filter(Boolean).join(' · ');
  return (
    <span className={classes.facts} title={line}>
      {line}
    </span>
  );
}

/** The price of a class. A price per call counts as its input price; a model without a price sorts first. */
function priceOf({ priced, prices }: PriceRow, name: 'input' | 'output'): number {
  if (!priced) return -1;
  return prices.by === 'tokens' ? prices.perMillion[name] : prices.call;
}

/** The last columns of every layout; ratios are hidden by default. */
const commonColumns = (onGroup: (group: string) => void): readonly Column<PriceRow>[] => [
  { id: 'ratio', title: text.ratio, fixed: true, render: (row) => <Ratios row={row} /> },
  { id: 'groups', title: text.groups, render: (row) => <Groups row={row} onGroup={onGroup} /> },
];

const facts: Column<PriceRow> = {
  id: 'facts',
  title: text.facts,
  fills: true,
  render: (row) => <FactsLine facts={row.item.facts} />,
};

/** For a phone, where a row is a card: facts share one line if they fit. */
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
  { id: 'price', title: text.price, card: 'line', render: (row) => <MainPrices row={row} /> },
  facts,
  ...commonColumns(onGroup),
];

/** @param onGroup - selects another group; must keep its identity */
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
