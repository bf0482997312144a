import { UnstyledButton } from '@mantine/core';
import { CircleCheck, CircleMinus } from 'lucide-react';
import type { PricingItem } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useTranslate, type Translate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { formatPrice } from '../../../shared/prices/prices.ts';
import { Nothing } from '../../../ui/nothing.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from './page.module.css';
import { pricesAudioInput, pricesAudioOutput, type PriceRow } from './rows.ts';
import { classNames, text, tierNames } from './text.ts';

interface CellProps {
  row: PriceRow;
}

const hidden = { 'aria-hidden': true } as const;

/** An icon, or with `words` an icon with its text. */
export function Availability({ row, words: isWritten = false }: CellProps & { words?: boolean }) {
  const t = useTranslate();
  const why = row.priced ? text.unavailable : text.unpriced;
  const words = t(row.available ? text.available : why, { group: row.group });
  return (
    <span className={classes.availability} data-available={row.available || undefined} title={words}>
      {row.available ? (
        <CircleCheck size={17} {...(isWritten ? hidden : { 'aria-label': words })} />
      ) : (
        <CircleMinus size={17} {...(isWritten ? hidden : { 'aria-label': words })} />
      )}
      {isWritten && <span className={classes.inWords}>{words}</span>}
    </span>
  );
}

export function Model({ row }: CellProps) {
  const { item } = row;
  const t = useTranslate();
  const { model_name: name } = item;
  return (
    <span className={classes.model}>
      <Link {...{ to: '/models/$name', params: { name } }} className={classes.name}>
        {name}
      </Link>
      <CopyButton value={name} what={name} size="xs" />
      {item.unset && (
        <Tag tone="warn" title={t(row.priced ? text.unsetHint : text.unpriced)}>
          {t(text.unset)}
        </Tag>
      )}
    </span>
  );
}

export function Billing({ row }: CellProps) {
  const t = useTranslate();
  return row.prices.by === 'call' ? (
    <Tag tone="info">{t(text.perCall)}</Tag>
  ) : (
    <Tag tone="accent">{t(text.perToken)}</Tag>
  );
}

/** Without a price none is shown: the fallback ratio is no offer. */

export function Input({ row }: CellProps) {
  const t = useTranslate();
  if (!row.priced) return <Nothing />;
  if (row.prices.by === 'tokens') return <TokenPrice row={row} of="input" />;
  return <span className={classes.price}>{t(text.eachCall, { price: formatPrice(row.prices.call) })}</span>;
}

export function TokenPrice({ row, of }: CellProps & { of: 'input' | 'output' | 'cacheRead' }) {
  if (row.prices.by === 'call') return null;
  if (!row.priced) return <Nothing />;
  return <span className={classes.price}>{formatPrice(row.prices.perMillion[of])}</span>;
}

/** The main prices in one line of a phone, each with its name; the expanded row has all of them. */
export function MainPrices({ row }: CellProps) {
  const t = useTranslate();
  if (row.prices.by === 'call' || !row.priced) return <Input row={row} />;
  return (
    <span className={classes.prices}>
      {(['input', 'output'] as const).map((name) => (
        <span key={name}>
          <span className={classes.quiet}>{t(classNames[name])}</span> <TokenPrice row={row} of={name} />
        </span>
      ))}
      <span className={classes.quiet}>/ 1M</span>
    </span>
  );
}

/** Ratios of audio, for models that have them: input, and output relative to input. */
function audioText(item: PricingItem, t: Translate): string {
  if (!pricesAudioInput(item)) return '';
  const spoken = pricesAudioOutput(item) ? ` × ${tidy(item.audio_completion_ratio)}` : '';
  return t(text.audioRatio, { ratio: `${tidy(item.audio_ratio)}${spoken}` });
}

/** Some ratios are quotients of prices: 3.3333… */
const tidy = (ratio: number) => Number(ratio.toFixed(3));

const tierName = (name: string, t: Translate): string =>
  Object.hasOwn(tierNames, name) ? t(tierNames[name as keyof typeof tierNames]) : name;

const thousands = (tokens: number) => `${tokens / 1_000}K`;

/** Factors of long prompts and service tiers on the prices. */
function tierFactors(
  { context_tiers: context = [], service_tiers: tiers = {} }: PricingItem,
  t: Translate,
): string[] {
  return [
    ...context.map(({ above, input, output }) =>
      t(text.contextTier, { above: thousands(above), input: tidy(input), output: tidy(output) }),
    ),
    ...Object.entries(tiers).map(([name, { factor }]) => `${tierName(name, t)} ×${tidy(factor)}`),
  ];
}

/** Prices of long prompts and service tiers in the group of the row, in dollars per million tokens. */
export function tierPrices({ item, prices }: PriceRow, t: Translate): string[] {
  if (prices.by === 'call') return [];
  const { context_tiers: context = [], service_tiers: tiers = {} } = item;
  const { input, output } = prices.perMillion;
  // Twelve digits remove the error of binary fractions.
  const dollars = (price: number, factor: number) => formatPrice(Number((price * factor).toPrecision(12)));
  return [
    ...context.map((tier) =>
      t(text.contextPrice, {
        above: thousands(tier.above),
        input: dollars(input, tier.input),
        output: dollars(output, tier.output),
      }),
    ),
    ...Object.entries(tiers).map(([name, { factor }]) =>
      t(text.tierPrice, {
        tier: tierName(name, t),
        input: dollars(input, factor),
        output: dollars(output, factor),
      }),
    ),
  ];
}

export function Ratios({ row: { item, prices, groupRatio, priced } }: CellProps) {
  const t = useTranslate();
  if (!priced) return <Nothing />;
  const words = [
    prices.by === 'tokens' && t(text.modelRatio, { ratio: item.model_ratio }),
    prices.by === 'tokens' && t(text.completionRatio, { ratio: tidy(item.completion_ratio) }),
    prices.by === 'tokens' && audioText(item, t),
    t(text.groupRatio, { ratio: groupRatio }),
    ...tierFactors(item, t),
  ];
  const line = words.filter(Boolean).join(' · ');
  return (
    <span className={classes.quiet} title={line}>
      {line}
    </span>
  );
}

/** Beyond this number, groups are only counted. */
const groupsShown = 2;

export function Groups({ row, onGroup }: CellProps & { onGroup: (group: string) => void }) {
  const t = useTranslate();
  const { groups } = row;
  return (
    <span className={classes.groups} title={groups.join(', ')}>
      {groups.slice(0, groupsShown).map((group) => (
        <UnstyledButton
          key={group}
          className={classes.group}
          aria-pressed={group === row.group}
          title={t(text.showGroup, { group })}
          onClick={() => onGroup(group)}
        >
          <GroupTag group={group} />
        </UnstyledButton>
      ))}
      {groups.length > groupsShown && <Tag>+{groups.length - groupsShown}</Tag>}
    </span>
  );
}
