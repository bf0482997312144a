import { Suspense } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { lazy } from '../../lib/lazy.ts';

const SiteNotice = lazy(async () => ({ default: (await import('./site-notice.tsx')).SiteNotice }));
const NoticeBell = lazy(async () => ({ default: (await import('./notice-bell.tsx')).NoticeBell }));

/** The announcement's parts, loaded only if there is one: `banner` below the header, `bell` in it. */
export function Announcement({ as }: { as: 'banner' | 'bell' }) {
  if (!useStatus()?.notice_mark) return null;
  return <Suspense fallback={null}>{as === 'banner' ? <SiteNotice /> : <NoticeBell />}</Suspense>;
}
