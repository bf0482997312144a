import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useStatus } from '../../lib/api/status.ts';
import { pageTitles, text } from '../text.ts';

/** The sanitiser is only fetched by sites that have a footer of their own. */
const RichHtml = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-html.tsx')).RichHtml,
}));

/** The operator's footer, or one line of credit. */
export function Footer() {
  const t = useTranslate();
  const status = useStatus();
  return (
    <footer>
      {status?.footer_html ? (
        <Suspense fallback={null}>
          <RichHtml html={status.footer_html} />
        </Suspense>
      ) : (
        <>
          {t(text.builtWith, { version: status?.version ?? '' })} ·{' '}
          <Link to="/docs/api">{t(pageTitles.reference)}</Link>
        </>
      )}
    </footer>
  );
}
