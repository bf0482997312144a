import { ChevronRight } from 'lucide-react';
import { useSay } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Answer } from '../base/types.ts';

/** What the model thought aloud, folded. */
export function Reasoning({ answer }: { answer: Answer }) {
  const say = useSay();
  const { reasoning, content, thoughtMs, status } = answer;
  if (reasoning === '') return null;
  const isThinking = content === '' && status === 'incomplete';
  const title = isThinking
    ? say(text.thinking)
    : thoughtMs === null
      ? say(text.thought)
      : say(text.thoughtFor, { time: formatDuration(thoughtMs) });
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
