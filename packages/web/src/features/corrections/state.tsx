import type { ReratingData, ReratingState } from '@tollgate/contract';
import { formatPercent } from '../../lib/format/number-format.ts';
import { type Text, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Tag, type Tone } from '../../ui/tag.tsx';
import classes from './corrections.module.css';
import { isUnderWay } from './queries.ts';
import { text } from './text.ts';

const states: Readonly<Record<ReratingState, { word: Text; tone: Tone }>> = {
  running: { word: text.running, tone: 'info' },
  stopped: { word: text.stopped, tone: 'warn' },
  done: { word: text.done, tone: 'good' },
  reverting: { word: text.reverting, tone: 'info' },
  reverted: { word: text.reverted, tone: 'neutral' },
};

/** State of a correction, with progress while it runs. */
export function State({ correction }: { correction: ReratingData }) {
  const t = useTranslate();
  const language = useLanguage();
  const { word, tone } = states[correction.state];
  return (
    <span className={classes.state}>
      <Tag tone={tone}>{t(word)}</Tag>
      {isUnderWay(correction) && (
        <span className="tabular">{formatPercent(correction.progress, language)}</span>
      )}
    </span>
  );
}
