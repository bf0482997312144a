import { product } from '@tollgate/contract';
import { useDisclosure, useDocumentTitle, useNetwork } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { useDemo, useStatus } from '../../lib/api/status.ts';
import { pageTitles, text } from '../text.ts';
import { Announcement } from './announcement.tsx';
import { useCurrentPage, useFrameKind } from './current-page.ts';
import classes from './frame.module.css';
import { Header } from './header.tsx';
import { PlaceTabs, usePlaceTabs } from './place-tabs.tsx';
import { Sidebar } from './sidebar.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Only sites with a footer of their own fetch the sanitiser. */
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

/** Shows a notice while the browser reports that it is offline. */
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

/** Lists what is possible on a demo site, for users who cannot change it. */
function DemoNotice() {
  const t = useTranslate();
  return useDemo() ? <Notice tone="warn">{t(text.demoHint)}</Notice> : null;
}

/** Only phones open the sheet, so only they fetch it. */
const NavSheet = lazy(async () => ({ default: (await import('./nav-sheet.tsx')).NavSheet }));

/** Everything around a page. */
export function Frame({ children = <Outlet /> }: { children?: ReactNode }) {
  const t = useTranslate();
  const page = useCurrentPage();
  const siteName = useStatus()?.system_name || product.name;
  const [sheetOpened, sheet] = useDisclosure(false);
  const frame = useFrameKind();
  const tabs = usePlaceTabs();
  // The page of a single record has its own heading below the tabs.
  const isTitled = tabs !== undefined && page?.path.includes('$') === false;
  const hasMargins = frame === 'console' && !page?.fills;
  useDocumentTitle(`${t((page ?? { title: pageTitles.notFound }).title)} · ${siteName}`);

  return (
    <div className={classes.frame}>
      <div className={classes.header}>
        <a href="#main" className="skip-link">
          {t(text.skip)}
        </a>
        <Header frame={frame} onMenu={sheet.open} />
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
      <main
        id="main"
        tabIndex={-1}
        className={classes.main}
        data-margins={hasMargins || undefined}
        data-tabs={isTitled || undefined}
      >
        {tabs && <PlaceTabs {...tabs} />}
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
