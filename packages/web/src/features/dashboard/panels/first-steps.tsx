import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useDismissed } from '../../../shared/feedback/use-dismissed.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Stripes } from '../../../ui/stripes.tsx';
import classes from './first-steps.module.css';
import { text } from '../base/text.ts';
import { useSteps, type Step } from './use-steps.ts';

/** The steps to the first call with their progress, until all are done or the user dismisses them. */
export function FirstSteps({ isAdmin }: { isAdmin: boolean }) {
  const t = useTranslate();
  const [hidden, hide] = useDismissed('first-steps');
  const steps = useSteps(isAdmin);
  if (hidden || !steps) return null;
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;
  const next = steps.find((step) => !step.done);
  return (
    <Panel
      title={t(text.firstSteps)}
      hint={t(text.stepsDone, { done, count: steps.length })}
      actions={<CloseButton aria-label={t(text.hideSteps)} title={t(text.hideSteps)} onClick={hide} />}
    >
      <Stripes share={done / steps.length} />
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <li key={step.id}>
            <StepLink step={step} number={index + 1} isNext={step === next} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

interface StepLinkProps {
  step: Step;
  number: number;
  isNext: boolean;
}

function StepLink({ step, number, isNext }: StepLinkProps) {
  const t = useTranslate();
  const { to, search, title, hint, done } = step;
  return (
    <Link
      to={to}
      search={search}
      className={classes.step}
      data-done={done || undefined}
      aria-current={isNext ? 'step' : undefined}
    >
      <span className={classes.number}>{done ? <Check size={14} aria-label={t(text.done)} /> : number}</span>
      <span>
        <strong>{t(title)}</strong>
        <span className={classes.hint}>{t(hint)}</span>
      </span>
    </Link>
  );
}
