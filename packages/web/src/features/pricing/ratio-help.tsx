import { Button, Skeleton } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { openDialog } from '../../shared/dialog/dialog.ts';
import { text } from './base/text.ts';

const RatioExplanation = lazy(async () => ({
  default: (await import('./ratio-explanation.tsx')).RatioExplanation,
}));

/** Opens the explanation of ratios, which is fetched when somebody asks for it. */
export function RatioHelp() {
  const t = useTranslate();
  const body = (
    <Suspense fallback={<Skeleton height={280} />}>
      <RatioExplanation />
    </Suspense>
  );
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      leftSection={<CircleQuestionMark size={14} />}
      onClick={() => openDialog({ title: t(text.explain), body })}
    >
      {t(text.explain)}
    </Button>
  );
}
