import type { ReratingData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { type Language, type Translate, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { MoneySum } from '../../shared/money/money.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import { Figure, Figures } from '../../ui/figure.tsx';
import { Actor } from './columns.tsx';
import { text } from './text.ts';

/** Amounts that a correction has moved. */
export function Sums({ correction }: { correction: ReratingData }) {
  const t = useTranslate();
  const language = useLanguage();
  const { collect, corrected_rows: rows, same_rows: same, not_taken_back: lost } = correction;
  return (
    <Figures>
      <Figure
        label={t(text.charges)}
        value={formatNumber(rows, language)}
        note={same > 0 ? t(text.chargesNote, { count: formatNumber(same, language) }) : undefined}
      />
      <Figure label={t(text.givenBack)} value={<MoneySum quota={correction.given_back} />} />
      {collect && <Figure label={t(text.collected)} value={<MoneySum quota={correction.collected} />} />}
      {correction.uncollected > 0 && (
        <Figure label={t(text.uncollected)} value={<MoneySum quota={correction.uncollected} />} />
      )}
      {lost > 0 && (
        <Figure
          label={t(text.notTakenBack)}
          value={<MoneySum quota={lost} />}
          note={t(text.notTakenBackNote)}
        />
      )}
    </Figures>
  );
}

function spanOf({ selection: { days, start, end } }: ReratingData, t: Translate): string {
  if (start === 0 && end === 0) return t(text.lastDays, { count: days });
  return t(text.fromTo, {
    start: formatDateTime(start),
    end: end === 0 ? t(text.untilThen) : formatDateTime(end),
  });
}

/** Charges that were not corrected, by reason. */
const leftRows = (correction: ReratingData, t: Translate, language: Language): [string, ReactNode][] => {
  const { left_rows: left, left_quota: sum, apart_rows: apart } = correction;
  const count = (rows: number) => formatNumber(rows, language);
  return [
    [
      t(text.left),
      left > 0 && (
        <>
          {t(text.apartWords, { count: count(left) })} · <MoneySum quota={sum} />
        </>
      ),
    ],
    [t(text.apart), apart > 0 && t(text.apartWords, { count: count(apart) })],
  ];
};

/** User, reason and scope of a correction. */
export function CorrectionFacts({ correction }: { correction: ReratingData }) {
  const t = useTranslate();
  const language = useLanguage();
  const { selection, options, finished_time: ended, reverted_time: undone } = correction;
  return (
    <DescriptionList
      rows={[
        [t(text.reason), correction.reason],
        [t(text.actor), <Actor key="actor" correction={correction} />],
        [t(text.begun), formatDateTime(correction.created_time)],
        [t(text.ended), ended > 0 ? formatDateTime(ended) : null],
        [t(text.span), spanOf(correction, t)],
        [t(text.models), selection.models.join(', ')],
        [t(text.groups), selection.groups.join(', ')],
        [t(text.channel), selection.channel > 0 ? selection.channel : null],
        [t(text.user), selection.user > 0 ? selection.user : null],
        [
          t(text.prices),
          options.length === 0 ? t(text.inForce) : t(text.drafted, { names: options.join(', ') }),
        ],
        ...leftRows(correction, t, language),
        [t(text.undoneAt), undone > 0 ? formatDateTime(undone) : null],
        [t(text.undoReason), correction.revert_reason],
      ].filter((row): row is [string, ReactNode] => row[1] !== false)}
    />
  );
}
