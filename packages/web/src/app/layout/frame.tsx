import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { Outlet, useMatches } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useStatus } from '../../lib/api/status.ts';
import type { PageEntry } from '../page-entry.ts';
import { pageTitles, text } from '../text.ts';
import { Announcement } from './announcement.tsx';
import { DemoNotice } from './demo-notice.tsx';
import { Footer } from './footer.tsx';
import classes from './frame.module.css';
import { Header } from './header.tsx';
import { OfflineNotice } from './offline-notice.tsx';
import { Sidebar } from './sidebar.tsx';

/** Only phones open the sheet, so only they fetch it. */
const NavSheet = lazy(async () => ({ default: (await import('./nav-sheet.tsx')).NavSheet }));

/** The page that is open; undefined where no page has this address. */
const useCurrentPage = (): PageEntry | undefined =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData.page });

/** Everything around a page. */
export function Frame({ children = <Outlet /> }: { children?: ReactNode }) {
  const t = useTranslate();
  const page = useCurrentPage();
  const siteName = useStatus()?.system_name || 'Tollgate';
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
