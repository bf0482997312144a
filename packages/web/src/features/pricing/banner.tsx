import { Link } from '@tanstack/react-router';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { Notice } from '../../ui/notice.tsx';
import classes from './base/page.module.css';
import { text } from './base/text.ts';
import { Button, Skeleton } from '@mantine/core';
import { CircleQuestionMark } from 'lucide-react';
import { Suspense } from 'react';
import { lazy } from '../../lib/lazy.ts';
import { openDialog } from '../../shared/dialog/dialog.ts';

const RatioExplanation = lazy(async () => ({
  default: (await import('./ratio-explanation.tsx')).RatioExplanation,
}));

/** Opens the explanation of ratios, which loads on request. */
function RatioHelp() {
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

interface BannerProps {
  /** The user's default group for prices. */
  group: string;
  ratio: number;
  isGuest: boolean;
}

/** The group of the shown prices. */
export function GroupBanner({ group, ratio, isGuest }: BannerProps) {
  const t = useTranslate();
  if (!isGuest) return <Notice tone="good">{t(text.yourGroup, { group, ratio })}</Notice>;
  return (
    <Notice tone="warn">
      <div className={classes.banner}>
        {t(text.guest, { group })}
        <Link to="/login" search={{ next: '/pricing' }} className={classes.bannerLink}>
          {t(text.login)}
        </Link>
      </div>
    </Notice>
  );
}

/** The charging of calls. */
export function FormulaBanner() {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  return (
    <Notice tone="info">
      <div className={classes.banner}>
        {t(text.formula, { perUnit: formatNumber(perUnit, language) })}
        <RatioHelp />
      </div>
    </Notice>
  );
}
