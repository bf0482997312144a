import { Button } from '@mantine/core';
import type { TokenClass } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { Nothing } from '../../../ui/nothing.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { priceLabels } from '../base/classes.ts';
import classes from '../base/prices.module.css';
import { text } from '../base/text.ts';
import type { AnnouncedPrice, PriceRow } from './rows.ts';

const ratioOf: Record<TokenClass, (row: PriceRow) => number> = {
  input: ({ ratios }) => ratios.modelRatio,
  output: ({ ratios }) => ratios.completionRatio,
  cacheRead: ({ ratios }) => ratios.cacheRatio,
  cacheWrite: ({ ratios }) => ratios.cacheWriteRatio,
  imageInput: ({ ratios }) => ratios.imageRatio,
  imageOutput: ({ ratios }) => ratios.imageCompletionRatio ?? ratios.completionRatio,
  audioInput: ({ ratios }) => ratios.audioRatio,
  audioOutput: ({ ratios }) => ratios.audioCompletionRatio,
};

const priceColumn = (name: TokenClass, withRatios: boolean, hidden = false): Column<PriceRow> => ({
  id: name,
  title: priceLabels[name],
  // A price per call is in the input column.
  titleOn: ({ dollars }) => priceLabels[dollars.call === undefined ? name : 'call'],
  align: 'end',
  sort: name,
  value: ({ dollars, priced }) => (priced ? (dollars.call ?? dollars[name] ?? 0) : -1),
  card: name === 'input' || name === 'output' ? 'line' : undefined,
  hidden,
  render: (row) => <Price row={row} name={name} withRatios={withRatios} />,
});

interface PriceProps {
  row: PriceRow;
  name: TokenClass;
  /** Shows the ratio behind the price. */
  withRatios: boolean;
}

function Price({ row, name, withRatios }: PriceProps) {
  const t = useTranslate();
  const { dollars, priced } = row;
  if (!priced) return <Nothing />;
  if (dollars.call !== undefined)
    return name === 'input' ? <b>{t(text.eachCall, { price: formatPrice(dollars.call) })}</b> : null;
  return (
    <span className={classes.price}>
      <b>{formatPrice(dollars[name] ?? 0)}</b>
      {withRatios && <span className={classes.ratio}> ×{Number(ratioOf[name](row).toFixed(4))}</span>}
    </span>
  );
}

function Model({ row }: { row: PriceRow }) {
  const t = useTranslate();
  return (
    <span className={classes.model}>
      {row.model}
      {!row.priced && (
        <Tag tone="warn" title={t(text.unpricedHint)}>
          {t(text.unpriced)}
        </Tag>
      )}
      {!row.served && <Tag title={t(text.notServedHint)}>{t(text.notServed)}</Tag>}
    </span>
  );
}

/** The vendor's announced price, also if its day has passed and this table was not updated. */
function Announced({ day, input, output, follows }: AnnouncedPrice) {
  const t = useTranslate();
  const hint = follows ? text.announcedFollows : text.announcedOwn;
  return (
    <Tag tone={follows ? 'info' : 'warn'} title={t(hint)}>
      {t(text.announced, { day, input: formatPrice(input), output: formatPrice(output) })}
    </Tag>
  );
}

function Edit({ row, onEdit }: { row: PriceRow; onEdit: (row: PriceRow) => void }) {
  const t = useTranslate();
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t(row.priced ? text.editOne : text.setPriceOf, { model: row.model })}
      onClick={() => onEdit(row)}
    >
      {t(row.priced ? text.edit : text.setPrice)}
    </Button>
  );
}

const model: Column<PriceRow> = {
  id: 'model',
  sort: 'model',
  value: (row) => row.model,
  title: text.model,
  role: 'title',
  fixed: true,
  render: (row) => <Model row={row} />,
};

const announced: Column<PriceRow> = {
  id: 'announced',
  title: text.announcedTitle,
  roomy: true,
  render: ({ announced: price }) => price && <Announced {...price} />,
};

interface ColumnsOptions {
  withRatios: boolean;
  /** True if prices may be changed. */
  onEdit: ((row: PriceRow) => void) | undefined;
}

/** Dollars; the ratios behind them on request. */
export function columnsOf({ withRatios, onEdit }: ColumnsOptions): Column<PriceRow>[] {
  const rare = ['cacheWrite', 'imageInput', 'imageOutput', 'audioInput', 'audioOutput'] as const;
  const shown = [
    model,
    ...(['input', 'output', 'cacheRead'] as const).map((name) => priceColumn(name, withRatios)),
    announced,
    ...rare.map((name) => priceColumn(name, withRatios, true)),
  ];
  if (onEdit === undefined) return shown;
  return [
    ...shown,
    {
      id: 'actions',
      title: text.actions,
      role: 'actions',
      fixed: true,
      render: (row) => <Edit row={row} onEdit={onEdit} />,
    },
  ];
}
