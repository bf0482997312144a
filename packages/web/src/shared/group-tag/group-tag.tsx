import { formatPercent } from '../../lib/format/number-format.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Tag, type Tone } from '../../ui/tag.tsx';

interface GroupTagProps {
  group: string;
  /** The group's ratio, if known: shown behind the name, coloured by its size. */
  ratio?: number | undefined;
}

/** Ratios above 1, 3 and 5 have their own colours. */
const toneOf = (ratio: number | undefined): Tone =>
  ratio === undefined || ratio <= 1 ? 'neutral' : ratio <= 3 ? 'info' : ratio <= 5 ? 'warn' : 'bad';

/** The name of a group. */
export function GroupTag({ group, ratio }: GroupTagProps) {
  return (
    <Tag tone={toneOf(ratio)}>
      {group}
      {ratio !== undefined && ` ×${ratio}`}
    </Tag>
  );
}

const text = texts({
  listPrices: { zh: '按标价', en: 'list prices' },
  share: { zh: '标价的 {share}', en: '{share} of list prices' },
});

/** What a group pays, in words of customers: `50% of list prices`. */
export function usePriceLevel(): (ratio: number) => string {
  const t = useTranslate();
  const language = useLanguage();
  return (ratio) =>
    ratio === 1
      ? t(text.listPrices)
      : t(text.share, { share: formatPercent(ratio, language, Number.isInteger(ratio * 100) ? 0 : 1) });
}
