import { ActionIcon, Button, Progress, Tooltip } from '@mantine/core';
import { X } from 'lucide-react';
import { formatDuration, formatMoney } from '../../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { studioText as text } from '../base/studio-text.ts';
import { kindText } from '../base/text.ts';
import { ProblemNotice } from '../thread/problem-notice.tsx';
import { Outputs } from './outputs.tsx';
import { digitsOf } from './price.ts';
import classes from './studio.module.css';
import type { Work } from './works.ts';

interface WorkCardProps {
  work: Work;
  onRemove: (id: number) => void;
  onAgain: (id: number) => void;
  /** Presses a button of a drawing. */
  onButton: (work: Work, customId: string) => void;
}

/** A running or finished work: its progress, results and cost. */
export function WorkCard({ work, onRemove, onAgain, onButton }: WorkCardProps) {
  const t = useTranslate();
  const isTask = work.taskId !== '';
  const isRunning = work.status === 'running';
  const remove = t(isRunning ? text.leave : text.remove);
  return (
    <article className={classes.card} aria-label={work.prompt} aria-busy={isRunning}>
      <header className={classes.cardHead}>
        <Tag>{t(kindText[work.kind])}</Tag>
        <span className={classes.what}>{work.prompt}</span>
        <Tooltip label={isRunning && isTask ? `${remove} · ${t(text.leaveHint)}` : remove}>
          <ActionIcon size="sm" aria-label={remove} onClick={() => onRemove(work.id)}>
            <X size={15} />
          </ActionIcon>
        </Tooltip>
      </header>
      {isRunning && <Making work={work} />}
      <Outputs work={work} />
      {work.status === 'failed' && <Failure work={work} onAgain={onAgain} />}
      <Buttons work={work} onButton={onButton} />
      <Facts work={work} />
    </article>
  );
}

function Making({ work: { progress } }: { work: Work }) {
  const t = useTranslate();
  return (
    <div className={classes.making} role="status">
      <span>{t(text.working)}</span>
      {progress !== null && <span className="tabular">{progress}%</span>}
      <Progress
        className={classes.bar ?? ''}
        value={progress ?? 100}
        animated={progress === null}
        striped={progress === null}
        aria-label={t(text.progress)}
      />
    </div>
  );
}

/** Reason of a failure, and the refund. */
function Failure({ work, onAgain }: Pick<WorkCardProps, 'work' | 'onAgain'>) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  if (work.problem)
    return <ProblemNotice answer={work} problem={work.problem} canRetry onRetry={() => onAgain(work.id)} />;
  return (
    <Notice
      tone="bad"
      role="alert"
      actions={
        <Button size="xs" variant="default" onClick={() => onAgain(work.id)}>
          {t(text.again)}
        </Button>
      }
    >
      {t(text.failedWords, { reason: work.reason })}
      {work.refunded > 0 && (
        <div className={classes.refund}>
          {t(text.refunded, {
            amount: formatMoney(work.refunded, display, digitsOf(work.refunded, display.perUnit)),
          })}
        </div>
      )}
    </Notice>
  );
}

function Buttons({ work, onButton }: Pick<WorkCardProps, 'work' | 'onButton'>) {
  const t = useTranslate();
  if (work.buttons.length === 0) return null;
  return (
    <div className={classes.buttons} role="group" aria-label={t(text.goOn)}>
      {work.buttons.map(({ customId, emoji, label }, index) => (
        <Button key={customId} size="compact-sm" variant="default" onClick={() => onButton(work, customId)}>
          {`${emoji} ${label}`.trim() || t(text.unnamed, { index: index + 1 })}
        </Button>
      ))}
    </div>
  );
}

/** Input, duration and final cost. */
function Facts({ work }: { work: Work }) {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  const { charged, refunded, status, tookMs, model, group } = work;
  return (
    <footer className={classes.facts}>
      <span>{model}</span>
      <span>{group}</span>
      {charged !== null && (
        <span className={classes.cost}>
          {t(text.cost)} <Money quota={charged - refunded} digits={digitsOf(charged - refunded, perUnit)} />
        </span>
      )}
      {tookMs !== null && status === 'done' && <span>{t(text.time, { time: formatDuration(tookMs) })}</span>}
    </footer>
  );
}
