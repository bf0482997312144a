import { Button, Drawer, Group, Stack, Text, Progress } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useTranslate, useLanguage } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { Notice } from '../../ui/notice.tsx';
import { openDialogs } from '../dialog/dialog.ts';
import { LoadError } from '../state/load-error.tsx';
import { Correct } from './correct.tsx';
import { Outcome } from './outcome.tsx';
import { type Scope, wholeWeek } from './scope.ts';
import { ScopeFields } from './scope-fields.tsx';
import { text } from './text.ts';
import { type PriceDraft, useRehearsal } from './use-rehearsal.ts';
import { formatPercent } from '../../lib/format/number-format.ts';
import classes from './progress-line.module.css';

interface ProgressLineProps {
  /** The running work. */
  label: string;
  /** Progress, 0 to 1. */
  share: number;
}

/** Long work: its name, its progress, and a bar. */
function ProgressLine({ label, share }: ProgressLineProps) {
  const language = useLanguage();
  return (
    <div className={classes.line}>
      <div className={classes.words}>
        <span>{label}</span>
        <span className="tabular">{formatPercent(share, language)}</span>
      </div>
      <Progress value={share * 100} aria-label={label} />
    </div>
  );
}

interface RehearsalDrawerProps {
  opened: boolean;
  /** Absent for the current prices. */
  draft: PriceDraft;
  /** Starts at once, with the charges of these models; of all models for an empty list. */
  models?: readonly string[] | undefined;
  onClose: () => void;
  /** Called when a correction starts from it. Without it the drawer shows a message. */
  onCorrect?: ((rerating: number) => void) | undefined;
}

const isDraft = (draft: PriceDraft): boolean => Object.keys(draft).length > 0;

/** The drawer; its content is discarded when it closes. */
export function RehearsalDrawer({ opened, draft, models, onClose, onCorrect }: RehearsalDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const isCovered = openDialogs.use().length > 0;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      // The key closes the dialog above the drawer.
      closeOnEscape={!isCovered}
      // The name of the button that opens it.
      title={t(isDraft(draft) ? text.action : text.correction)}
      size={isPhone ? '100%' : 720}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {opened && <Rehearsal draft={draft} models={models} onCorrect={onCorrect} />}
    </Drawer>
  );
}

function Rehearsal({
  draft,
  models,
  onCorrect,
}: Pick<RehearsalDrawerProps, 'draft' | 'models' | 'onCorrect'>) {
  const t = useTranslate();
  const [scope, setScope] = useState<Scope>({ ...wholeWeek, models: models ?? [] });
  const { start, stop, isStarting, data, error } = useRehearsal(draft);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (models === undefined || hasBegun.current) return;
    hasBegun.current = true;
    start(scope);
  }, [models, scope, start]);
  const isRunning = data?.state === 'running';
  const rescope = (next: Scope) => {
    // Removes messages about other charges.
    stop();
    setScope(next);
  };
  return (
    <Stack gap="md" pt="md">
      <Text size="sm">{t(isDraft(draft) ? text.hint : text.inForce)}</Text>
      <ScopeFields value={scope} disabled={isRunning} onChange={rescope} />
      <Group>
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            {t(text.stop)}
          </Button>
        ) : (
          <Button loading={isStarting} onClick={() => start(scope)}>
            {t(text.start)}
          </Button>
        )}
      </Group>
      {isRunning && <ProgressLine label={t(text.running)} share={data.progress} />}
      {error && <LoadError error={error} onRetry={() => start(scope)} />}
      {data?.state === 'failed' && <Notice tone="bad">{t(text.failed)}</Notice>}
      {data?.outcome && (
        <>
          <Outcome outcome={data.outcome} />
          <Correct
            key={data.id}
            rehearsal={data.id}
            outcome={data.outcome}
            isDraft={isDraft(draft)}
            onCorrect={onCorrect}
          />
        </>
      )}
    </Stack>
  );
}
