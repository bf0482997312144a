import { useLanguage, useTranslate, type Text } from '../../../lib/i18n.ts';
import { formatDuration, formatNumber } from '../../../lib/format/number-format.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Answer } from '../base/types.ts';

/** Finish reasons that are worth showing. */
function endOf({ stopped, finish }: Answer): Text | null {
  if (stopped) return text.stopped;
  if (finish === 'length') return text.cutShort;
  return finish === 'content_filter' ? text.filtered : null;
}

/** Tokens per second after the first; null if there are too few. */
function speedOf({ usage, firstTokenMs, totalMs }: Answer): number | null {
  if (!usage || firstTokenMs === null || totalMs === null) return null;
  const seconds = (totalMs - firstTokenMs) / 1000;
  return seconds > 0.05 && usage.outputTokens > 1 ? usage.outputTokens / seconds : null;
}

/** Usage, duration and cost of an answer. */
export function AnswerFacts({ answer }: { answer: Answer }) {
  const t = useTranslate();
  const language = useLanguage();
  const { usage, firstTokenMs, totalMs, cost } = answer;
  const end = endOf(answer);
  const speed = speedOf(answer);
  if (!end && cost === null && !usage && firstTokenMs === null) return null;
  return (
    <div className={classes.facts}>
      {end && <Tag tone={answer.stopped ? 'neutral' : 'warn'}>{t(end)}</Tag>}
      {cost !== null && (
        <span className={classes.cost}>
          {t(text.cost)} <Money quota={cost} digits={6} />
        </span>
      )}
      {usage && (
        <span>
          {t(text.tokens, {
            input: formatNumber(usage.inputTokens, language),
            output: formatNumber(usage.outputTokens, language),
          })}
        </span>
      )}
      {firstTokenMs !== null && <span>{t(text.firstToken, { time: formatDuration(firstTokenMs) })}</span>}
      {totalMs !== null && answer.status === 'complete' && (
        <span>{t(text.total, { time: formatDuration(totalMs) })}</span>
      )}
      {speed !== null && <span>{t(text.speed, { count: formatNumber(speed, language) })}</span>}
    </div>
  );
}
