import { Link } from '@tanstack/react-router';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { Notice } from '../../ui/notice.tsx';
import classes from './base/page.module.css';
import { RatioHelp } from './ratio-help.tsx';
import { text } from './base/text.ts';

interface BannerProps {
  /** The group whose prices a person sees by default. */
  group: string;
  ratio: number;
  isGuest: boolean;
}

/** Whose prices these are. */
export function GroupBanner({ group, ratio, isGuest }: BannerProps) {
  const t = useTranslate();
  if (!isGuest) return <Notice tone="good">{t(text.yourGroup, { group, ratio })}</Notice>;
  return (
    <Notice tone="warn">
      <div className={classes.banner}>
        {t(text.guest, { group, ratio })}
        <Link to="/login" search={{ next: '/pricing' }} className={classes.bannerLink}>
          {t(text.login)}
        </Link>
      </div>
    </Notice>
  );
}

/** How a call is charged. */
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
