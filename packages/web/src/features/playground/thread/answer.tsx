import { ActionIcon, Tooltip } from '@mantine/core';
import { Braces, ChevronRight, Receipt, RotateCcw } from 'lucide-react';
import { Link } from '@tanstack/react-router';
import { memo, Suspense } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { lazy } from '../../../lib/lazy.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { LogoMark } from '../../../ui/logo.tsx';
import { AnswerFacts } from './answer-facts.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Answer } from '../base/types.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';

/** The model's reasoning, collapsed. */
function Reasoning({ answer }: { answer: Answer }) {
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

/** The Markdown renderer loads with the first answer; until then the text is unformatted. */
const Markdown = lazy(async () => ({ default: (await import('../markdown/markdown.tsx')).Markdown }));

interface AnswerProps {
  answer: Answer;
  canAct: boolean;
  isForgotten: boolean;
  onRegenerate: (id: number) => void;
  onRaw: (id: number) => void;
}

export const AnswerView = memo(function AnswerView(props: AnswerProps) {
  const { answer, canAct, isForgotten, onRegenerate, onRaw } = props;
  const t = useTranslate();
  const { content, status, problem } = answer;
  const isGrowing = status === 'loading' || status === 'incomplete';
  return (
    <article
      className={classes.answer}
      data-forgotten={isForgotten || undefined}
      aria-busy={isGrowing}
      aria-label={answer.model}
    >
      <LogoMark size={26} />
      <div className={classes.body}>
        <div className={classes.who}>
          {answer.model} <span className={classes.note}>{answer.group}</span>
        </div>
        <Reasoning answer={answer} />
        {status === 'loading' && (
          <div className={classes.waiting}>
            <span className={classes.pulse} aria-hidden="true" />
            {t(text.waiting)}
          </div>
        )}
        {content !== '' && (
          <div className={classes.words} data-growing={isGrowing || undefined}>
            <Suspense fallback={<div className={classes.plain}>{content}</div>}>
              <Markdown source={content} />
            </Suspense>
          </div>
        )}
        {status === 'complete' && content === '' && !answer.stopped && (
          <div className={classes.note}>{t(text.emptyAnswer)}</div>
        )}
        {problem && (
          <ProblemNotice
            answer={answer}
            problem={problem}
            canRetry={canAct}
            onRetry={() => onRegenerate(answer.id)}
          />
        )}
        {!isGrowing && (
          <>
            <AnswerFacts answer={answer} />
            <AnswerActions answer={answer} canAct={canAct} onRegenerate={onRegenerate} onRaw={onRaw} />
          </>
        )}
      </div>
    </article>
  );
});

function AnswerActions({ answer, canAct, onRegenerate, onRaw }: Omit<AnswerProps, 'isForgotten'>) {
  const t = useTranslate();
  return (
    <div className={classes.acts}>
      {answer.content !== '' && <CopyButton value={answer.content} what={t(text.copyAnswer)} />}
      <Tooltip label={t(text.regenerate)}>
        <ActionIcon
          size="sm"
          aria-label={t(text.regenerate)}
          disabled={!canAct}
          onClick={() => onRegenerate(answer.id)}
        >
          <RotateCcw size={14} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t(text.raw)}>
        <ActionIcon size="sm" aria-label={t(text.raw)} onClick={() => onRaw(answer.id)}>
          <Braces size={14} />
        </ActionIcon>
      </Tooltip>
      {answer.cost !== null && answer.requestId !== null && (
        <Tooltip label={t(text.receipt)}>
          <ActionIcon
            size="sm"
            aria-label={t(text.receipt)}
            renderRoot={(props) => (
              <Link to="/log" search={{ request: answer.requestId ?? '', range: 'all' }} {...props} />
            )}
          >
            <Receipt size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
