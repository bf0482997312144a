import { product } from '@tollgate/contract';
import { useDisclosure, useDocumentTitle, useNetwork } from '@mantine/hooks';
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useDemo, useStatus } from '../../lib/api/status.ts';
import type { PageEntry } from '../page-entry.ts';
import { pageTitles, text } from '../text.ts';
import { Announcement } from './announcement.tsx';
import classes from './frame.module.css';
import { Header } from './header.tsx';
import { Sidebar } from './sidebar.tsx';
import { Notice } from '../../ui/notice.tsx';

/** The sanitiser is only fetched by sites that have a footer of their own. */
const RichHtml = lazy(async () => ({
  default: (await import('../../shared/rich-html/rich-html.tsx')).RichHtml,
}));

/** The operator's footer, or one line of credit. */
function Footer() {
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

/** Says so while the browser knows it has no network. */
function OfflineNotice() {
  const t = useTranslate();
  const { online } = useNetwork();
  if (online) return null;
  return (
    <Notice tone="warn" role="status">
      {t(text.offline)}
    </Notice>
  );
}

/** Says what can be done on a demo site, to those who cannot change it. */
function DemoNotice() {
  const t = useTranslate();
  return useDemo() ? <Notice tone="warn">{t(text.demoHint)}</Notice> : null;
}

/** Only phones open the sheet, so only they fetch it. */
const NavSheet = lazy(async () => ({ default: (await import('./nav-sheet.tsx')).NavSheet }));

/** The page that is open; undefined where no page has this address. */
const useCurrentPage = (): PageEntry | undefined =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData.page });

/** Everything around a page. */
export function Frame({ children = <Outlet /> }: { children?: ReactNode }) {
  const t = useTranslate();
  const page = useCurrentPage();
  const siteName = useStatus()?.system_name || product.name;
  const [sheetOpened, sheet] = useDisclosure(false);
  const frame = page?.frame ?? 'site';
  const hasMargins = frame === 'console' && !page?.fills;
  useDocumentTitle(`${t((page ?? { title: pageTitles.notFound }).title)} · ${siteName}`);

  return (
    <div className={classes.frame}>
      <div className={classes.header}>
        <a href="#main" className="skip-link">
          {t(text.skip)}
        </a>
        <Header bare={frame === 'bare'} onMenu={sheet.open} />
      </div>
      <div className={classes.offline}>
        <OfflineNotice />
        {frame === 'console' && !page?.fills && <DemoNotice />}
        {frame !== 'bare' && !page?.fills && <Announcement as="banner" />}
      </div>
      {frame === 'console' && (
        <div className={classes.side}>
          <Sidebar />
        </div>
      )}
      <main id="main" tabIndex={-1} className={classes.main} data-margins={hasMargins || undefined}>
        {hasMargins ? <div className={classes.inner}>{children}</div> : children}
      </main>
      {!page?.fills && (
        <div className={classes.footer}>
          <Footer />
        </div>
      )}
      {sheetOpened && (
        <Suspense fallback={null}>
          <NavSheet opened onClose={sheet.close} />
        </Suspense>
      )}
    </div>
  );
}
