import { ChevronRight } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Answer } from '../base/types.ts';

/** The model's reasoning, collapsed. */
export function Reasoning({ answer }: { answer: Answer }) {
  const t = useTranslate();
  const { reasoning, content, thoughtMs, status } = answer;
  if (reasoning === '') return null;
  const isThinking = content === '' && status === 'incomplete';
  const title = isThinking
    ? t(text.thinking)
    : thoughtMs === null
      ? t(text.thought)
      : t(text.thoughtFor, { time: formatDuration(thoughtMs) });
  return (
    <details className={classes.reasoning}>
      <summary data-thinking={isThinking || undefined}>
        <ChevronRight size={14} aria-hidden="true" />
        {title}
      </summary>
      <div className={classes.thoughts}>{reasoning}</div>
    </details>
  );
}
