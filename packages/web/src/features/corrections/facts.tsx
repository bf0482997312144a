import type { ReratingData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { formatDateTime } from '../../lib/format/date-format.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { type Language, type Say, useLanguage, useSay } from '../../lib/i18n.ts';
import { MoneySum } from '../../shared/money/money.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import { Figure, Figures } from '../../ui/figure.tsx';
import { Actor } from './columns.tsx';
import { text } from './text.ts';

/** What a correction has moved. */
export function Sums({ correction }: { correction: ReratingData }) {
  const say = useSay();
  const language = useLanguage();
  const { collect, corrected_rows: rows, same_rows: same, not_taken_back: lost } = correction;
  return (
    <Figures>
      <Figure
        label={say(text.charges)}
        value={formatNumber(rows, language)}
        note={same > 0 ? say(text.chargesNote, { count: formatNumber(same, language) }) : undefined}
      />
      <Figure label={say(text.givenBack)} value={<MoneySum quota={correction.given_back} />} />
      {collect && <Figure label={say(text.collected)} value={<MoneySum quota={correction.collected} />} />}
      {correction.uncollected > 0 && (
        <Figure label={say(text.uncollected)} value={<MoneySum quota={correction.uncollected} />} />
      )}
      {lost > 0 && (
        <Figure
          label={say(text.notTakenBack)}
          value={<MoneySum quota={lost} />}
          note={say(text.notTakenBackNote)}
        />
      )}
    </Figures>
  );
}

function spanOf({ selection: { days, start, end } }: ReratingData, say: Say): string {
  if (start === 0 && end === 0) return say(text.lastDays, { count: days });
  return say(text.fromTo, {
    start: formatDateTime(start),
    end: end === 0 ? say(text.untilThen) : formatDateTime(end),
  });
}

/** What became of charges that were not corrected. */
const leftRows = (correction: ReratingData, say: Say, language: Language): [string, ReactNode][] => {
  const { left_rows: left, left_quota: sum, apart_rows: apart } = correction;
  const count = (rows: number) => formatNumber(rows, language);
  return [
    [
      say(text.left),
      left > 0 && (
        <>
          {say(text.apartWords, { count: count(left) })} · <MoneySum quota={sum} />
        </>
      ),
    ],
    [say(text.apart), apart > 0 && say(text.apartWords, { count: count(apart) })],
  ];
};

/** Who began a correction and why, and of which charges. */
export function CorrectionFacts({ correction }: { correction: ReratingData }) {
  const say = useSay();
  const language = useLanguage();
  const { selection, options, finished_time: ended, reverted_time: undone } = correction;
  return (
    <DescriptionList
      rows={[
        [say(text.reason), correction.reason],
        [say(text.actor), <Actor key="actor" correction={correction} />],
        [say(text.begun), formatDateTime(correction.created_time)],
        [say(text.ended), ended > 0 ? formatDateTime(ended) : null],
        [say(text.span), spanOf(correction, say)],
        [say(text.models), selection.models.join(', ')],
        [say(text.groups), selection.groups.join(', ')],
        [say(text.channel), selection.channel > 0 ? selection.channel : null],
        [say(text.user), selection.user > 0 ? selection.user : null],
        [
          say(text.prices),
          options.length === 0 ? say(text.inForce) : say(text.drafted, { names: options.join(', ') }),
        ],
        ...leftRows(correction, say, language),
        [say(text.undoneAt), undone > 0 ? formatDateTime(undone) : null],
        [say(text.undoReason), correction.revert_reason],
      ].filter((row): row is [string, ReactNode] => row[1] !== false)}
    />
  );
}
